/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera: the tool, run by this process alone. */
#include "cli/command.h"

int main(int count, char **argument)
{
    static const cli_crew alone;
    return tool(count, argument, &alone);
}
