/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Words that tell nothing of what a text is about: the articles, pronouns, prepositions,
 * conjunctions, auxiliaries and commonest adverbs of English, and what is left of contractions
 * when their apostrophe separates ("don't": don, t). */
#include "features/vocabulary.h"
#include "io/file.h"

#include <string.h>

static const char english[] =
    "a an the this that these those such "
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves "
    "he him his himself she her hers herself it its itself they them their theirs themselves "
    "one ones somebody someone something anybody anyone anything nobody nothing everybody "
    "everyone everything who whom whose which what whatever whoever each every either neither "
    "both all any some none no few many much more most less least several other others another "
    "own same enough "
    "am is are was were be been being have has had having do does did doing done will would "
    "shall should can could may might must ought cannot let "
    "about above across after against along among around at before behind below beneath beside "
    "besides between beyond by despite down during except for from in inside into like near of "
    "off on onto out outside over past per since than through throughout till to toward "
    "towards "
    "under until up upon via with within without "
    "and or but nor so yet if unless because while whereas though although as whether once "
    "then there here where when why how however therefore thus hence "
    "not never ever always often sometimes usually again further already still just only even "
    "also too very quite rather almost perhaps maybe indeed else instead otherwise together "
    "now soon later well "
    "ain aren couldn didn doesn don hadn hasn haven isn mightn mustn needn shan shouldn wasn "
    "weren won wouldn d ll m o re s t ve y";

static tsr_status find_in(tsr__vocabulary *out, const char *text, int64_t size)
{
    tsr_status status = TSR_OK;
    tsr__vocabulary words = {0};
    tsr__tokens tokens = tsr__tokens_begin(text, size, 1);
    tsr__token token;
    int32_t index = -1;
    while (tsr__tokens_next(&token, &tokens))
        TSR_TRY(tsr__vocabulary_add(&index, &words, token.text, token.length));
    *out = words, words = (tsr__vocabulary){0};
done:
    tsr__vocabulary_clear(&words);
    return status;
}

tsr_status tsr__stop_words_find(tsr__vocabulary *out, const char *which)
{
    tsr_status status = TSR_OK;
    tsr__input input = {NULL, 0, false};
    if (which == NULL || strcmp(which, "none") == 0)
        return TSR_OK;
    if (strcmp(which, "english") == 0)
        return find_in(out, english, (int64_t)sizeof english - 1);
    TSR_TRY(tsr__input_open(&input, which));
    if (memchr(input.bytes, '\0', (size_t)input.size) != NULL)
        TSR_FAIL(TSR_ERROR_FORMAT, "is no text: it holds a zero byte");
    TSR_TRY(find_in(out, input.bytes, input.size));
done:
    tsr__input_close(&input);
    return status < 0 ? tsr__fail_in(status, which) : status;
}
