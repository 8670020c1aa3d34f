# Every TSR_API declaration of tessera.h as a row of `functions` for tests/test_arguments.c, with
# what calls it. What may be NULL is read from the comment above the declaration: `name` (or NULL.

function refuse(why) { print "arguments.awk: " why > "/dev/stderr"; failed = 1; exit 1 }
function trim(text) { gsub(/[ \t\n]+/, " ", text); sub(/^ /, "", text); sub(/ $/, "", text); return text }

# How a type is passed on: through a pointer, a whole number, an enumerator, a double, a struct; a
# function as if it were one.
function way_of(type, who) {
    if (type ~ /\*$/) return "POINTER"
    if (type == "double") return "REAL"
    if (type ~ /^(bool|int|int32_t|int64_t)$/) return "WHOLE"
    if (type in enums) return "CHOICE"
    if (type in structs || type in callbacks) return "STRUCT"
    refuse("`" type "` of " who " is no type that it knows how to pass: see way_of")
}

function passed(way, type, i) {
    if (way == "POINTER") return "a[" i "].pointer"
    if (way == "REAL") return "a[" i "].real"
    if (way == "STRUCT") return "*(const " type " *)a[" i "].pointer"
    return "(" type ")a[" i "].whole"
}

function answer_of(type) {
    if (type == "void") return "ANSWER_NOTHING"
    if (type == "tsr_status") return "ANSWER_STATUS"
    if (type == "double") return "ANSWER_NAN"
    return type ~ /\*$/ ? (never ? "ANSWER_TEXT" : "ANSWER_NULL") : "ANSWER_ZERO"
}

function declaration(text,    open, head, name, result, list, count, part, i, type, way, row, call) {
    open = index(text, "(")
    head = trim(substr(text, 1, open - 1))
    list = trim(substr(text, open + 1))
    sub(/\) ?;$/, "", list)
    if (!match(head, /[a-z0-9_]+$/) || list ~ /[()]/) refuse("cannot read: " text)
    name = substr(head, RSTART)
    result = trim(substr(head, 1, RSTART - 1))
    never = index(doc, "Never NULL") > 0
    count = list == "void" ? 0 : split(list, part, ",")
    for (i = 1; i <= count; i++) {
        part[i] = trim(part[i])
        match(part[i], /[a-z0-9_]+$/)
        type = trim(substr(part[i], 1, RSTART - 1))
        part[i] = substr(part[i], RSTART)
        way = way_of(type, name)
        call = call (i > 1 ? ", " : "") passed(way, type, i - 1)
        row = row sprintf("{\"%s\", \"%s\", %s, %s, sizeof(%s)}, ", part[i], type, way,
                          part[i] == "options" || index(doc, "`" part[i] "` (or NULL") ? "true" : "false", type)
    }
    printf "static void call_%s(void *to, const argument *a)\n{\n    (void)to, (void)a;\n", name
    if (result == "void") printf "    %s(%s);\n}\n", name, call
    else printf "    %s got = %s(%s);\n    memcpy(to, &got, sizeof got);\n}\n", result, name, call
    rows = rows sprintf("    {\"%s\", %s, %s, call_%s, %d, {%s}},\n", name, answer_of(result),
                        result == "void" ? "0" : "sizeof(" result ")", name, count,
                        count > 0 ? row : "{NULL, NULL, POINTER, false, 0}")
    parsed++
}

/^typedef enum/ { enums[$3] = 1 }
/^typedef [a-z_]+ \(\*/ { name = $3; sub(/^\(\*/, "", name); sub(/\).*/, "", name); callbacks[name] = 1 }
/^typedef struct/ { name = $3; sub(/;.*/, "", name); structs[name] = 1 }
commented { doc = doc " " $0 }
/^\/\*/ { doc = $0; commented = 1 }
commented { if (/\*\//) { commented = 0; gsub(/ \* /, " ", doc); doc = trim(doc) } next }
/^$/ { doc = "" }
/TSR_API/ && !/^#/ { seen++; pending = "" ; open_text = 1 }
open_text {
    line = $0
    sub(/\/\*.*\*\//, "", line)
    sub(/TSR_API/, "", line)
    pending = pending " " line
    if (line ~ /;/) { open_text = 0; declaration(trim(pending)) }
}
END {
    if (failed) exit 1
    if (parsed == 0 || parsed != seen) { print "arguments.awk: " parsed " of " seen " declarations were read" > "/dev/stderr"; exit 1 }
    printf "static const function functions[] = {\n%s};\n", rows
}
