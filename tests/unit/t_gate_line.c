/* SPDX-License-Identifier: MIT */
/*
 * What lines come to. A part is its words, then `:` and its flags (s substitution, r redirection,
 * a assignment, w wrapper, u unclear, n seen through), then the files it opens; parts are
 * separated by ` ; `. `?` is a word that is not known, `_` a blank and `|` a new line in a word.
 */
#include "base/buf.h"
#include "gate/line.h"

#include "tap.h"

#define SHOWN_MAX KiB(64)

struct row {
	const char *line, *parts;
};

static const struct row lists[] = {
	{ "ls", "ls" },
	{ "  ls  -l ", "ls -l" },
	{ "a;b", "a ; b" },
	{ "a;b;", "a ; b" },
	{ "a&b", "a ; b" },
	{ "a&", "a" },
	{ "a|b", "a ; b" },
	{ "a||b", "a ; b" },
	{ "a&&b", "a ; b" },
	{ "a|&b", "a ; b" },
	{ "a\nb\n", "a ; b" },
	{ "a\\\nb", "ab" },
	{ "\na", "a" },
	{ "a &&\nb", "a ; b" },
	{ "a |\n\nb", "a ; b" },
	{ "a # b; c", "a" },
	{ "a#b", "a#b" },
	{ "a \\\\#b", "a \\#b" },
	{ "#a", ":u" },
	{ "a;#b\nc", "a ; c" },
	{ "!a", "!a" },
	{ "! a", "a" },
	{ "! ! a", "a" },
	{ "a ;; b", "a ; :u" },
	{ "a && && b", "a ; :u" },
	{ "a | | b", "a ; :u" },
	{ "&& a", ":u" },
	{ ";a", ":u" },
	{ "a &> /dev/null", "a" },
	{ "a & > /dev/null b", "a ; b" },
	{ "a &>/dev/null b", "a b :u" },
	{ "\ta\tb", "a b" },
	{ "a\rb", "a\rb :u" },
	{ "a\r\nb", "a\r :u ; b" },
	{ "a\001b", "a\001b :u" },
	{ "a \177", "a \177 :u" },
	{ "a\013b", "a\013b :u" },
};

static const struct row quotes[] = {
	{ "'a b' c", "a_b c" },
	{ "\"a b\" c", "a_b c" },
	{ "a\\ b c", "a_b c" },
	{ "a'b'\"c\"\\d", "abcd" },
	{ "''", "''" },
	{ "a ''", "a ''" },
	{ "a \"\" x", "a '' x" },
	{ "\"a", ":u" },
	{ "'a", ":u" },
	{ "a\\", ":u" },
	{ "\"a\\", ":u" },
	{ "a \"$\"", "a $" },
	{ "a $", "a $" },
	{ "a \"\\a\\$\\`\\\"\\\\\"", "a \\a$`\"\\" },
	{ "a '\\'", "a \\" },
	{ "a \"'\"", "a '" },
	{ "a '\"'", "a \"" },
	{ "a $'b'", "a ? :s" },
	{ "a $'b\n'", "a ? :s" },
	{ "a $'b\\'c'", ":u" },
	{ "a $\"b\"", "a ? :s" },
	{ "a \"b\\\nc\"", "a bc" },
	{ "a 'b\\\nc'", "a b\\|c" },
	{ "\\ls", "ls" },
	{ "l\\\ns", "ls" },
	{ "\"if\" a", "if a" },
	{ "i\\f a", "if a" },
	{ "a \"$'b'\"", "a $'b'" },
};

static const struct row expansions[] = {
	{ "a $b", "a ? :s" },
	{ "a \"$b\"", "a ? :s" },
	{ "a ${b}", "a ? :s" },
	{ "a ${b:-c}", "a ? :s" },
	{ "a ${b:=c}", "a ? :sa" },
	{ "a ${PATH:=c}", "a ? :sau" },
	{ "a ${b=c}", "a ? :sa" },
	{ "a ${b:+$(c)}", "c ; a ? :s" },
	{ "a \"${b:-$(c)}\"", "c ; a ? :s" },
	{ "a \"${b:-'c'}\"", ":u" },
	{ "a ${b:-'c}d'}", "a ? :s" },
	{ "a ${b#\\}}", "a ? :s" },
	{ "a ${#b}", "a ? :s" },
	{ "a ${!b}", "a ? :su" },
	{ "a ${b@P}", "a ? :su" },
	{ "a ${b[1]}", "a ? :su" },
	{ "a ${b:1}", "a ? :su" },
	{ "a ${b/c/d}", "a ? :s" },
	{ "a ${b^^}", "a ? :s" },
	{ "a ${", ":u" },
	{ "a ${b", ":u" },
	{ "a ${ b; }", ":u" },
	{ "a ${1} $1 $10 $@ $* $# $? $$ $! $-", "a ? ? ? ? ? ? ? ? ? ? :s" },
	{ "$a", "? :s" },
	{ "$a b", "? b :s" },
	{ "\"$a\" b", "? b :s" },
	{ "a$b c", "? c :s" },
	{ "a *", "a ? :s" },
	{ "a x*.c", "a ? :s" },
	{ "a [x]", "a ? :s" },
	{ "a [x", "a [x" },
	{ "a ?", "a ? :s" },
	{ "a {b,c}", "a ? :s" },
	{ "a {b}", "a {b}" },
	{ "a {}", "a {}" },
	{ "a {1..3}", "a ? :s" },
	{ "a x{b,\"c\"}y", "a ? :s" },
	{ "a {b", "a {b" },
	{ "a b,c", "a b,c" },
	{ "a ~", "a ? :s" },
	{ "a ~/b", "a ? :s" },
	{ "a b~", "a b~" },
	{ "a b=~/c", "a ? :s" },
	{ "a 'x*'", "a x*" },
	{ "a \"*\"", "a *" },
	{ "a \\*", "a *" },
	{ "a $(b)", "b ; a ? :s" },
	{ "a \"$(b)\"", "b ; a ? :s" },
	{ "a `b`", "b ; a ? :s" },
	{ "a \"`b`\"", "b ; a ? :s" },
	{ "a `b \\`c\\``", "c ; b ? :s ; a ? :s" },
	{ "a `b \"c\"`", "b c ; a ? :s" },
	{ "a \"`b \\\"c\\\"`\"", ":u" },
	{ "a $(b $(c $(d)))", "d ; c ? :s ; b ? :s ; a ? :s" },
	{ "a $(b\n)", "b ; a ? :s" },
	{ "a $(b # c\n)", "b ; a ? :s" },
	{ "a $(b", "b ; :u" },
	{ "a `b", ":u" },
	{ "a $(b))", "b ; a ? :s ; :u" },
	{ "a $(b;c|d)", "b ; c ; d ; a ? :s" },
	{ "a $((1+2))", "a ? :s" },
	{ "a $((b))", "a ? :su" },
	{ "a $(($b))", "a ? :su" },
	{ "a $(( $(b) ))", "b ; a ? :su" },
	{ "a $((1+(2*3)))", "a ? :s" },
	{ "a $((b) )", ":u" },
	{ "a $((1)", ":u" },
	{ "a $[1]", ":u" },
	{ "a <(b)", "b ; a ? :s" },
	{ "a >(b)", "b ; a ? :s" },
	{ "a x<(b)", "b ; a ? :s" },
	{ "a < <(b)", "b ; a :r <?" },
	{ "$(a)", "a ; ? :s" },
	{ "$(a) b", "a ; ? b :s" },
	{ "`a` b", "a ; ? b :s" },
};

static const struct row redirections[] = {
	{ "a >b", "a :r >b" },
	{ "a > b", "a :r >b" },
	{ "a >>b", "a :r >b" },
	{ "a >|b", "a :r >b" },
	{ "a <b", "a :r <b" },
	{ "a <>b", "a :r >b" },
	{ "a >/dev/null", "a" },
	{ "a </dev/null", "a" },
	{ "a 2>/dev/null", "a" },
	{ "a 2>&1", "a" },
	{ "a >&2", "a" },
	{ "a 2>&-", "a" },
	{ "a <&-", "a" },
	{ "a >&b", "a :r >b" },
	{ "a &>b", "a :r >b" },
	{ "a &>>b", "a :r >b" },
	{ "a 2>b c", "a c :r >b" },
	{ "a b2>c", "a b2 :r >c" },
	{ "a >$b", "a :r >?" },
	{ "a >\"$(b)\"", "b ; a :r >?" },
	{ "a >'b c'", "a :r >b_c" },
	{ ">a", ":r >a" },
	{ ">a b", "b :r >a" },
	{ "a >", ":u" },
	{ "a > >(b)", "b ; a :r >?" },
	{ "a {b}>c", "a {b} :ru >?" },
	{ "a <<<b", "a" },
	{ "a <<<$(b)", "b ; a" },
	{ "a >/dev/stderr", "a" },
	{ "a >/dev/tcp/b/1", "a :r >/dev/tcp/b/1" },
	{ "a >b >c <d", "a :r >b >c <d" },
	{ "cd x; a >b", "cd x ; a :r >?" },
	{ "cd x; a >/b", "cd x ; a :r >/b" },
	{ "{ a; } >b", "a ; :r >b" },
	{ "(a) >b", "a ; :r >b" },
	{ "a 1>b 2>c", "a :r >b >c" },
	{ "a '2'>b", "a 2 :r >b" },
	{ "a >b2", "a :r >b2" },
};

static const struct row here_documents[] = {
	{ "a <<E\nb\nE", "a" },
	{ "a <<E\n$(b)\nE", "a ; b" },
	{ "a <<'E'\n$(b)\nE", "a" },
	{ "a <<\\E\n$(b)\nE", "a" },
	{ "a <<\"E\"\n`b`\nE", "a" },
	{ "a <<E\n`b`\nE", "a ; b" },
	{ "a <<-E\n\tb\n\tE\nc", "a ; c" },
	{ "a <<E\n\tE\nE\nb", "a ; b" },
	{ "a <<E | b\nc\nE\nd", "a ; b ; d" },
	{ "a <<E <<F\n$(b)\nE\n$(c)\nF\nd", "a ; b ; c ; d" },
	{ "a <<E\n\\$(b)\nE", "a" },
	{ "a <<E\n\\\\$(b)\nE", "a ; b" },
	{ "a <<E\n$(b\nE", "a ; b ; :u" },
	{ "a <<E\nb", "a" },
	{ "a <<E", "a" },
	{ "a <<$b\nx\n$b", ":u" },
	{ "a <<E\nb\\\nE\nE", "a ; :u" },
	{ "a $(b <<E\nc\nE\n)", "b ; a ? :s" },
	{ "a <<E $(b\n)\nc\nE", "b ; :u" },
	{ "(a <<E\nb\nE\n)", "a" },
	{ "a <<E && b\n${c:-$(d)}\nE", "a ; b ; d" },
	{ "a <<E\n'$(b)'\nE", "a ; b" },
	{ "a <<E\n\"$(b)\"\nE", "a ; b" },
	{ "a <<E;b\nE\nc", "a ; b ; c" },
	{ "cat <<E >f\nx\nE", "cat :r >f" },
	{ "sh <<E\nrm x\nE", "sh :w" },
};

static const struct row compound_commands[] = {
	{ "if a; then b; fi", "a ; b" },
	{ "if a; then b; else c; fi", "a ; b ; c" },
	{ "if a; then b; elif c; then d; else e; fi", "a ; b ; c ; d ; e" },
	{ "if a\nthen b\nfi", "a ; b" },
	{ "if a; b; fi", "a ; b ; :u" },
	{ "if a; then b", "a ; b ; :u" },
	{ "if a; then b; fi c", "a ; b ; :u" },
	{ "if a; then b; fi >c", "a ; b ; :r >c" },
	{ "if a; then b; fi | c", "a ; b ; c" },
	{ "while a; do b; done", "a ; b" },
	{ "until a; do b; done", "a ; b" },
	{ "while a; do b; done <c", "a ; b ; :r <c" },
	{ "for x in a b; do c; done", "c" },
	{ "for x; do c; done", "c" },
	{ "for x do c; done", "c" },
	{ "for x in $(a); do b $x; done", "a ; b ? :s" },
	{ "for PATH in a; do b; done", ":au ; b" },
	{ "for x in a\ndo b\ndone", "b" },
	{ "for ((i=0;i<1;i++)); do a; done", ":u" },
	{ "case a in b) c;; esac", "c" },
	{ "case a in (b|c) d;; *) e; esac", "d ; e" },
	{ "case $(a) in b) c ;; esac", "a ; c" },
	{ "case a in $(b)) c ;; esac", "b ; c" },
	{ "case a in esac", ":u" },
	{ "case a in b) ;; c) d ;& e) f ;;& esac", "d ; f" },
	{ "case a in b) c", "c ; :u" },
	{ "(a)", "a" },
	{ "(a; b)", "a ; b" },
	{ "( a | (b) )", "a ; b" },
	{ "((a))", ":u ; a" },
	{ "( (a) )", "a" },
	{ "(a", "a ; :u" },
	{ "a)", "a ; :u" },
	{ "{ a; }", "a" },
	{ "{ a }", "a } ; :u" },
	{ "{a; }", "{a ; :u" },
	{ "{ a; b; } | c", "a ; b ; c" },
	{ "{ a;", "a ; :u" },
	{ "a() { b; }", "a :u ; b" },
	{ "a() { b; }; a c", "a :u ; b ; a c :u" },
	{ "a () ( b )", "a :u ; b" },
	{ "function a { b; }", "a :u ; b" },
	{ "function a() { b; }", "a :u ; b" },
	{ "a() b", "a :u ; b" },
	{ "'a'() { b; }", "a ; :u" },
	{ "coproc a", ":u ; a" },
	{ "coproc a { b; }", ":u ; a { b ; :u" },
	{ "time a", "time ? :sn ; a" },
	{ "time -p a", "time ? :sn ; a" },
	{ "time", "time ? :sn ; :u" },
	{ "time -f x a", "time ? :sn ; :u ; :u" },
	{ "select x in a; do b; done", ":u ; b" },
	{ "[ a ]", "[ a ]" },
	{ "[ -f a ] && b", "[ -f a ] ; b" },
	{ "test -v a", "test -v a :u" },
	{ "[[ -f a ]]", ":u ; [[ -f a ]]" },
	{ "[[ a && b ]]", ":u ; [[ a ; b ]]" },
	{ "[[ a < b ]]", ":u ; [[ a ]] :r <?" },
	{ "[[ $(a) ]]", ":u ; a ; [[ ? ]] :s" },
	{ "! { a; }", "a" },
	{ "then", ":u" },
	{ "do a", ":u" },
	{ "done", ":u" },
	{ "fi", ":u" },
	{ "}", ":u" },
	{ "esac", ":u" },
	{ "in", "in" },
	{ "a then b", "a then b" },
	{ "a { b", "a { b" },
	{ "a } b", "a } b" },
};

static const struct row variables[] = {
	{ "A=1", ":a" },
	{ "A=1 b", "b :a" },
	{ "A= b", "b :a" },
	{ "A=$(b)", "b ; :a" },
	{ "A=$(b) c", "b ; c :a" },
	{ "A+=1", ":a" },
	{ "a A=1", "a A=1" },
	{ "'A'=1", "A=1" },
	{ "A'x'=1 b", "Ax=1 b" },
	{ "1A=2 b", "1A=2 b" },
	{ "A=(b c)", ":u" },
	{ "A[1]=b", "? :s" },
	{ "A[$(b)]=c", "b ; ? :s" },
	{ "PATH=x a", "a :au" },
	{ "LD_PRELOAD=x a", "a :au" },
	{ "GIT_SSH_COMMAND=x a", "a :au" },
	{ "NODE_OPTIONS=x a", "a :au" },
	{ "BASH_ENV=x a", "a :au" },
	{ "IFS=x", ":au" },
	{ "A=~/b", ":a" },
	{ "A=\"x y\" b", "b :a" },
	{ "export A", "export A :a" },
	{ "export A=1", "export A=1 :a" },
	{ "export PATH=x", "export PATH=x :au" },
	{ "export A=$B", "export ? :sau" },
	{ "declare -n a=b", "declare -n a=b :au" },
	{ "readonly A=1", "readonly A=1 :a" },
	{ "local A", "local A :a" },
	{ "unset A", "unset A :a" },
	{ "unset 'a[$(b)]'", "unset a[$(b)] :au" },
	{ "read A", "read A :a" },
	{ "read -r A B", "read -r A B :a" },
	{ "read PATH", "read PATH :au" },
	{ "printf -v A x", "printf -v A x :a" },
	{ "printf x", "printf x" },
	{ "mapfile A", "mapfile A :u" },
	{ "let a=1", "let a=1 :u" },
	{ "set -e", "set -e" },
	{ "set -o pipefail", "set -o pipefail" },
	{ "set -k", "set -k :u" },
	{ "set -- a b", "set -- a b" },
	{ "set a b", "set a b" },
	{ "shopt -s extglob", "shopt -s extglob :u" },
	{ "alias a=b", "alias a=b :u" },
	{ "hash -p a b", "hash -p a b :u" },
	{ "enable -f a b", "enable -f a b :u" },
	{ "cd a", "cd a" },
	{ ". a", ". a :w" },
	{ "source a", "source a :w" },
	{ "trap 'a b' EXIT", "trap a_b EXIT :n ; a b" },
	{ "trap - EXIT", "trap - EXIT" },
	{ "trap \"$a\" EXIT", "trap ? EXIT :sw" },
	{ "eval a", "eval a :n ; a" },
	{ "eval 'a;b'", "eval a;b :n ; a ; b" },
	{ "eval \"a $b\"", "eval ? :sw" },
	{ "eval", "eval" },
	{ "exec a b", "exec a b :n ; a b" },
	{ "exec", "exec" },
	{ "exec >a", "exec :r >a" },
	{ "command a", "command a :n ; a" },
	{ "command -v a", "command -v a" },
	{ "command -p a", "command -p a :n ; a" },
	{ "builtin a", "builtin a :n ; a" },
};

static const struct row shells[] = {
	{ "sh -c a", "sh -c a :n ; a" },
	{ "sh -c 'a b; c'", "sh -c a_b;_c :n ; a b ; c" },
	{ "bash -c 'a \"$(b)\"'", "bash -c a_\"$(b)\" :n ; b ; a ? :s" },
	{ "bash -lc a", "bash -lc a :n ; a" },
	{ "bash -ec a x y", "bash -ec a x y :n ; a" },
	{ "bash -euo pipefail -c a", "bash -euo pipefail -c a :n ; a" },
	{ "bash -o pipefail -c a", "bash -o pipefail -c a :n ; a" },
	{ "bash --norc -c a", "bash --norc -c a :n ; a" },
	{ "bash -O extglob -c a", "bash -O extglob -c a :w" },
	{ "bash -ic a", "bash -ic a :w" },
	{ "sh -c \"$a\"", "sh -c ? :sw" },
	{ "sh -c", "sh -c :w" },
	{ "sh", "sh :w" },
	{ "sh -s", "sh -s :w" },
	{ "sh a", "sh a" },
	{ "sh - a", "sh - a" },
	{ "sh /dev/stdin", "sh /dev/stdin :w" },
	{ "bash -c 'bash -c \"bash -c a\"'",
	    "bash -c bash_-c_\"bash_-c_a\" :n ; bash -c bash_-c_a :n ; bash -c a :n ; a" },
	{ "zsh -c a", "zsh -c a :w ; a" },
	{ "fish -c a", "fish -c a :w ; a" },
	{ "/bin/sh -c a", "/bin/sh -c a :n ; a" },
	{ "/usr/bin/bash -c a", "/usr/bin/bash -c a :n ; a" },
	{ "/tmp/sh -c a", "/tmp/sh -c a ; a" },
	{ "./sh -c a", "./sh -c a ; a" },
	{ "a | sh", "a ; sh :w" },
	{ "sh <(a)", "a ; sh ? :sw" },
	{ "sh -c 'a", ":u" },
	{ "sh -c ''", "sh -c ''" },
};

static const struct row wrappers[] = {
	{ "env", "env" },
	{ "env a", "env a :n ; a" },
	{ "env A=1 a", "env A=1 a :n ; a :a" },
	{ "env -i a", "env -i a :n ; a :a" },
	{ "env -u A a", "env -u A a :n ; a :a" },
	{ "env -C d a", "env -C d a :n ; a :a" },
	{ "env PATH=x a", "env PATH=x a :n ; a :au" },
	{ "env -S 'a b' c", "env -S a_b c :n ; a b c" },
	{ "env -S 'a \"b\"' c", "env -S a_\"b\" c :w" },
	{ "env '-Sa b'", "env -Sa_b :n ; a b" },
	{ "env --split-string='a b'", "env --split-string=a_b :n ; a b" },
	{ "env - a", "env - a :n ; a :a" },
	{ "xargs --replace a {}", "xargs --replace a {} :w" },
	{ "xargs --max-lines a", "xargs --max-lines a :w" },
	{ "docker compose exec a b", "docker compose exec a b ; b :n" },
	{ "kubectl exec -it a -- b", "kubectl exec -it a -- b ; b :n" },
	{ "chroot a -- b", "chroot a -- b ; b" },
	{ "python3 -m timeit a", "python3 -m timeit a :w" },
	{ "sort --co=a b", "sort --co=a b :w ; a" },
	{ "git stash show --output=a", "git stash show --output=a :r" },
	{ "mapfile -C a B", "mapfile -C a B :u" },
	{ "jobs -x a", "jobs -x a :w" },
	{ "git -C $a push", "git -C ? push :sw ; git push" },
	{ "env -x a", "env -x a :w" },
	{ "env $a b", "env ? b :sw" },
	{ "env A=1", "env A=1" },
	{ "xargs", "xargs" },
	{ "xargs a", "xargs a :n ; a ? :s" },
	{ "xargs -0 a b", "xargs -0 a b :n ; a b ? :s" },
	{ "xargs -n 1 -P 4 a", "xargs -n 1 -P 4 a :n ; a ? :s" },
	{ "xargs -I{} a {} b", "xargs -I{} a {} b :n ; a ? b :s" },
	{ "xargs -I {} a x{}y", "xargs -I {} a x{}y :n ; a ? :s" },
	{ "xargs -0I{} a {}", "xargs -0I{} a {} :n ; ? ? :s" },
	{ "xargs --foo a", "xargs --foo a :w" },
	{ "nice a", "nice a :n ; a" },
	{ "nice -n 5 a", "nice -n 5 a :n ; a" },
	{ "nice -5 a", "nice -5 a :n ; a" },
	{ "nohup a", "nohup a :n ; a" },
	{ "timeout 5 a", "timeout 5 a :n ; a" },
	{ "timeout -k 1 5 a", "timeout -k 1 5 a :n ; a" },
	{ "timeout --kill-after=1 5 a", "timeout --kill-after=1 5 a :n ; a" },
	{ "timeout --foo 5 a", "timeout --foo 5 a :w" },
	{ "timeout $a b", "timeout ? b :sw" },
	{ "timeout 5", "timeout 5" },
	{ "stdbuf -oL a", "stdbuf -oL a :n ; a" },
	{ "setsid a", "setsid a :n ; a" },
	{ "ionice -c 3 a", "ionice -c 3 a :n ; a" },
	{ "chrt 5 a", "chrt 5 a ; a" },
	{ "taskset 1 a", "taskset 1 a :n ; a" },
	{ "watch a b", "watch a b :n ; a b" },
	{ "watch -n 1 'a | b'", "watch -n 1 a_|_b :n ; a ; b" },
	{ "strace a b", "strace a b ; a b" },
	{ "strace -o x a", "strace -o x a :w" },
	{ "strace -f -e trace=file a", "strace -f -e trace=file a ; a" },
	{ "unshare -r a", "unshare -r a ; a" },
	{ "unshare --mount a", "unshare --mount a ; a" },
	{ "chroot x a", "chroot x a ; a" },
	{ "sudo a", "sudo a ; a" },
	{ "sudo -u x a", "sudo -u x a ; a" },
	{ "sudo -i", "sudo -i :w" },
	{ "sudo A=1 a", "sudo A=1 a :a ; a" },
	{ "sudo -E a", "sudo -E a ; a" },
	{ "doas a", "doas a ; a" },
	{ "su -c a", "su -c a :w" },
	{ "flock x a", "flock x a :w" },
	{ "script -c a", "script -c a :w" },
	{ "parallel a", "parallel a :w" },
	{ "ssh h a", "ssh h a ; a" },
	{ "ssh h 'a; b'", "ssh h a;_b ; a ; b" },
	{ "ssh -o x h a", "ssh -o x h a :w" },
	{ "ssh h", "ssh h" },
	{ "busybox a", "busybox a :n ; a" },
	{ "busybox sh -c a", "busybox sh -c a :n ; sh -c a :n ; a" },
	{ "ld.so a", "ld.so a ; a" },
	{ "/lib64/ld-linux-x86-64.so.2 /bin/a b",
	    "/lib64/ld-linux-x86-64.so.2 /bin/a b ; /bin/a b" },
	{ "find", "find" },
	{ "find a -name b", "find a -name b" },
	{ "find a -exec b {} \\;", "find a -exec b {} ; ; b ? :s" },
	{ "find a -exec b {} +", "find a -exec b {} + ; b ? :s" },
	{ "find a -exec b + c {} +", "find a -exec b + c {} + ; b + c ? :s" },
	{ "find a -execdir sh -c b \\;", "find a -execdir sh -c b ; ; sh -c b :n ; b" },
	{ "find a -ok b \\;", "find a -ok b ; ; b" },
	{ "find a -delete", "find a -delete :r" },
	{ "find a -fprintf b c", "find a -fprintf b c :r" },
	{ "find a -exec b \\; -exec c {} \\;", "find a -exec b ; -exec c {} ; ; b ; c ? :s" },
	{ "find $a", "find ? :sw" },
	{ "npx a b", "npx a b ; a b :n" },
	{ "npx -y a", "npx -y a ; a :n" },
	{ "npx --foo a", "npx --foo a :w" },
	{ "uv run a", "uv run a ; a :n" },
	{ "uv --x run a", "uv --x run a :w" },
	{ "docker exec a b", "docker exec a b ; b :n" },
	{ "docker exec -it a b", "docker exec -it a b ; b :n" },
	{ "docker --x exec a b", "docker --x exec a b :w" },
	{ "docker ps", "docker ps" },
	{ "docker $a", "docker ? :sw" },
};

static const struct row git[] = {
	{ "git", "git" },
	{ "git log", "git log" },
	{ "git log -5", "git log -5" },
	{ "git foo", "git foo :w" },
	{ "git $a", "git ? :sw" },
	{ "git log $a", "git log ? :sw" },
	{ "git commit -m $a", "git commit -m ? :s" },
	{ "git -c a=b log", "git -c a=b log :w ; git log" },
	{ "git -C a log", "git -C a log ; git log" },
	{ "git --git-dir=a log", "git --git-dir=a log ; git log" },
	{ "git --exec-path=a log", "git --exec-path=a log :w ; git log" },
	{ "git --exec-path", "git --exec-path" },
	{ "git --no-pager log", "git --no-pager log :n ; git log" },
	{ "git -P diff", "git -P diff :n ; git diff" },
	{ "git --no-pager foo", "git --no-pager foo :w" },
	{ "git -p log", "git -p log :w ; git log" },
	{ "git --paginate", "git --paginate :w" },
	{ "git config a b", "git config a b :w" },
	{ "git grep -O a", "git grep -O a :w ; a" },
	{ "git grep --open-files-in-pager=a b", "git grep --open-files-in-pager=a b :w ; a" },
	{ "git diff --ext-diff", "git diff --ext-diff :w" },
	{ "git diff --output=a", "git diff --output=a :r" },
	{ "git fetch --upload-pack=a", "git fetch --upload-pack=a :w ; a" },
	{ "git fetch --upload-p=a", "git fetch --upload-p=a :w ; a" },
	{ "git rebase -x 'a b' c", "git rebase -x a_b c :w ; a b" },
	{ "git rebase --exec a b", "git rebase --exec a b :w ; a" },
	{ "git bisect run a b", "git bisect run a b ; a b" },
	{ "git submodule foreach 'a b'", "git submodule foreach a_b ; a b" },
	{ "git clone ext::a", "git clone ext::a :w" },
	{ "git push --receive-pack=a", "git push --receive-pack=a :w ; a" },
	{ "git archive --output=a", "git archive --output=a :r" },
	{ "/usr/bin/git -C a push", "/usr/bin/git -C a push ; git push" },
	{ "git -C $a push", "git -C ? push :sw ; git push" },
};

static const struct row programs_with_languages[] = {
	{ "tar xf a", "tar xf a" },
	{ "tar xf a --to-command=b", "tar xf a --to-command=b :w ; b" },
	{ "tar -xf a --to-c=b", "tar -xf a --to-c=b :w ; b" },
	{ "tar -I b -xf a", "tar -I b -xf a :w ; b" },
	{ "tar xIf b a", "tar xIf b a :w ; f" },
	{ "tar --checkpoint=1 --checkpoint-action=exec=a",
	    "tar --checkpoint=1 --checkpoint-action=exec=a :w ; 1 ; :a" },
	{ "rsync -av a b", "rsync -av a b" },
	{ "rsync -e a b c", "rsync -e a b c :w ; a" },
	{ "rsync --rsh=a b", "rsync --rsh=a b :w ; a" },
	{ "man a", "man a" },
	{ "man -P a b", "man -P a b :w ; a" },
	{ "sed s/a/b/ c", "sed s/a/b/ c" },
	{ "sed -n 1p c", "sed -n 1p c" },
	{ "sed -n '1,$p' c", "sed -n 1,$p c" },
	{ "sed '/a/d' c", "sed /a/d c" },
	{ "sed 's/a/b/e' c", "sed s/a/b/e c :w" },
	{ "sed 's/a/b/w c' d", "sed s/a/b/w_c d :w" },
	{ "sed 1e c", "sed 1e c :w" },
	{ "sed 'w c' d", "sed w_c d :w" },
	{ "sed -i s/a/b/ c", "sed -i s/a/b/ c :r" },
	{ "sed -f a b", "sed -f a b :w" },
	{ "sed -e p -e w b", "sed -e p -e w b :w" },
	{ "sed 's|a|b|;s,c,d,' e", "sed s|a|b|;s,c,d, e" },
	{ "sed '$!N;s/\n/ /' e", "sed $!N;s/|/_/ e" },
	{ "sed 'y/a/b/' e", "sed y/a/b/ e" },
	{ "sed -s -ee x", "sed -s -ee x :w" },
	{ "sed $a", "sed ? :sw" },
	{ "sed s/a/b/ c -i", "sed s/a/b/ c -i :w" },
	{ "awk 1 a", "awk 1 a" },
	{ "awk '{ print $1 }' a", "awk {_print_$1_} a" },
	{ "awk '{ system(\"a\") }'", "awk {_system(\"a\")_} :w" },
	{ "awk '{ print | \"a\" }'", "awk {_print_|_\"a\"_} :w" },
	{ "awk '{ \"a\" | getline }'", "awk {_\"a\"_|_getline_} :w" },
	{ "awk '{ print > \"a\" }'", "awk {_print_>_\"a\"_} :r" },
	{ "awk '$1 > 2 || $2' a", "awk $1_>_2_||_$2 a" },
	{ "awk -f a b", "awk -f a b :w" },
	{ "awk -v a=b 1", "awk -v a=b 1" },
	{ "awk --x a", "awk --x a :w" },
	{ "python3 a", "python3 a" },
	{ "python3 -c a", "python3 -c a :w" },
	{ "python3 -m a", "python3 -m a" },
	{ "python3 -", "python3 - :w" },
	{ "python3", "python3 :w" },
	{ "python3 -W x -c a", "python3 -W x -c a :w" },
	{ "python3 --version", "python3 --version" },
	{ "perl a", "perl a" },
	{ "perl -e a", "perl -e a :w" },
	{ "perl -pe a", "perl -pe a :w" },
	{ "node a", "node a" },
	{ "node -e a", "node -e a :w" },
	{ "node -r a b", "node -r a b :w" },
	{ "node", "node :w" },
	{ "ruby a", "ruby a" },
	{ "php a", "php a" },
	{ "php -r a", "php -r a :w" },
	{ "vim a", "vim a" },
	{ "vim +5 a", "vim +5 a" },
	{ "vim +!a b", "vim +!a b :w" },
	{ "vim -c a b", "vim -c a b :w" },
	{ "less a", "less a" },
	{ "less +a b", "less +a b :w" },
	{ "sqlite3 a 'select 1'", "sqlite3 a select_1" },
	{ "sqlite3 a .shell", "sqlite3 a .shell :w" },
	{ "make a", "make a" },
	{ "make SHELL=a", "make SHELL=a :w" },
	{ "make 'A=$(shell b)'", "make A=$(shell_b) :w" },
	{ "make --eval=a", "make --eval=a :w" },
	{ "sort a", "sort a" },
	{ "sort -o a b", "sort -o a b :r" },
	{ "sort --compress-program=a b", "sort --compress-program=a b :w ; a" },
	{ "rg a", "rg a" },
	{ "rg --pre a b", "rg --pre a b :w ; a" },
	{ "fd a -x b", "fd a -x b :w" },
	{ "fd a", "fd a" },
	{ "split --filter=a b", "split --filter=a b :w ; a" },
	{ "go test -exec a", "go test -exec a :w ; a" },
	{ "psql -c a", "psql -c a :w" },
	{ "at now", "at now :w" },
	{ "crontab a", "crontab a :w" },
	{ "npm run a", "npm run a" },
	{ "npm run a -- b", "npm run a -- b" },
	{ "npm exec a", "npm exec a ; a :n" },
	{ "systemd-run a", "systemd-run a :w" },
};

static const struct {
	const char *name;
	const struct row *rows;
	size_t n;
} tables[] = {
	{ "lists", lists, COUNT(lists) },
	{ "quotes", quotes, COUNT(quotes) },
	{ "expansions", expansions, COUNT(expansions) },
	{ "redirections", redirections, COUNT(redirections) },
	{ "here-documents", here_documents, COUNT(here_documents) },
	{ "compound commands", compound_commands, COUNT(compound_commands) },
	{ "variables", variables, COUNT(variables) },
	{ "shells", shells, COUNT(shells) },
	{ "wrappers", wrappers, COUNT(wrappers) },
	{ "git", git, COUNT(git) },
	{ "programs with languages", programs_with_languages, COUNT(programs_with_languages) },
};

/* ---- as text ---- */

static void
add_word(struct buf *out, struct str word)
{
	if (!word.p)
		buf_addc(out, '?');
	else if (!word.n)
		buf_add(out, STR("''"));
	for (size_t i = 0; word.p && i < word.n; i++)
		buf_addc(out, word.p[i] == ' ' ? '_' : word.p[i] == '\n' ? '|' : word.p[i]);
}

static void
add_part(struct buf *out, const struct gate_command *c)
{
	static const char letters[] = "srawun";
	const char *between = "";

	for (size_t i = 0; i < c->argv_n; i++) {
		buf_add(out, str_of(i ? " " : ""));
		add_word(out, c->argv[i]);
		between = " ";
	}
	if (c->flags)
		buf_addf(out, "%s:", between);
	for (size_t i = 0; letters[i]; i++) {
		if (c->flags & 1u << i)
			buf_addc(out, letters[i]);
	}
	for (size_t i = 0; i < c->redirects_n; i++) {
		buf_add(out, c->redirects[i].write ? STR(" >") : STR(" <"));
		add_word(out, c->redirects[i].target);
	}
}

static void
show(const struct gate_parts *parts, struct buf *out)
{
	for (size_t i = 0; i < parts->n; i++) {
		buf_add(out, str_of(i ? " ; " : ""));
		add_part(out, &parts->list[i]);
	}
}

static void
comes_to(struct str line, const char *want, const char *name)
{
	auto_done(gate_parts) struct gate_parts parts = { 0 };
	auto_done(buf) struct buf shown = buf_max(SHOWN_MAX);

	gate_line_parse(line, &parts);
	show(&parts, &shown);
	is_str(buf_text(&shown), want, name);
}

/* ---- arrays ---- */

static void
arrays(void)
{
	static const struct {
		struct str argv[6];
		const char *parts;
	} table[] = {
		{ { STR("git"), STR("log") }, "git log" },
		{ { STR("a b"), STR("$c"), STR("*"), STR("") }, "a_b $c * ''" },
		{ { STR("if"), STR(";"), STR("&&") }, "if ; &&" },
		{ { STR("A=1"), STR("b") }, "A=1 b" },
		{ { STR("bash"), STR("-lc"), STR("a | b") }, "bash -lc a_|_b :n ; a ; b" },
		{ { STR("env"), STR("A=1"), STR("sh"), STR("-c"), STR("a >b") },
		    "env A=1 sh -c a_>b :n ; sh -c a_>b :an ; a :r >b" },
		{ { STR("sh"), STR("-c"), STR("\xff") }, "sh -c \xff ; :u" },
		{ { STR("a\0b") }, ":u" },
	};

	for (size_t i = 0; i < COUNT(table); i++) {
		auto_done(gate_parts) struct gate_parts parts = { 0 };
		auto_done(buf) struct buf shown = buf_max(SHOWN_MAX);
		size_t n = 0;

		while (n < COUNT(table[i].argv) && table[i].argv[n].p)
			n++;
		gate_argv_parse(table[i].argv, n, &parts);
		show(&parts, &shown);
		is_str(buf_text(&shown), table[i].parts, "array");
	}
}

static void
no_words(void)
{
	auto_done(gate_parts) struct gate_parts parts = { 0 };

	gate_argv_parse(NULL, 0, &parts);
	ok(parts.n == 1 && parts.list[0].flags == COMMAND_UNCLEAR,
	    "no words are not understood");
}

/* ---- limits ---- */

/* Whether the last part says that not all was read. */
static bool
gives_up(const struct buf *line, size_t *ret_n)
{
	auto_done(gate_parts) struct gate_parts parts = { 0 };
	const struct gate_command *last;

	gate_line_parse(buf_str(line), &parts);
	last = &parts.list[parts.n - 1];
	*ret_n = parts.n;
	return !last->argv_n && last->flags == COMMAND_UNCLEAR;
}

static void
repeat(struct buf *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_add(out, str_of(text));
}

static void
limits(void)
{
	static const struct {
		const char *before, *middle, *behind;
		size_t n;
		bool good;
	} table[] = {
		{ "a $(", "b", ")", 10, true },
		{ "a $(", "b", ")", 10000, false },
		{ "( ", "a", ")", 20, true },
		{ "( ", "a", ")", 30000, false },
		{ "{ ", "a", "; }", 20, true },
		{ "{ ", "a", "; }", 10000, false },
		{ "${a:-", "b", "}", 5000, false },
		{ "if a; then ", "b", "; fi", 3000, false },
		{ "nice ", "a", "", 10, true },
		{ "nice ", "a", "", 5000, false },
		{ "! ", "a", "", 10, true },
		{ "! ", "a", "", 10000, false },
		{ "a;", "a", "", GATE_PARTS_MAX - 1, true },
		{ "a;", "a", "", GATE_PARTS_MAX, false },
		{ "a b ", "", "", GATE_LINE_MAX / 4, true },
		{ "a b ", "", "", GATE_LINE_MAX / 4 + 1, false },
	};

	for (size_t i = 0; i < COUNT(table); i++) {
		auto_done(buf) struct buf line = buf_max(MiB(1));
		size_t n;
		bool up;

		repeat(&line, table[i].before, table[i].n);
		repeat(&line, table[i].middle, 1);
		repeat(&line, table[i].behind, table[i].n);
		up = gives_up(&line, &n);
		ok(!up == table[i].good && n <= GATE_PARTS_MAX + 1, "%zu times '%s': %s",
		    table[i].n, table[i].before, up ? "too much" : "read");
	}
}

int
main(void)
{
	for (size_t t = 0; t < COUNT(tables); t++) {
		for (size_t i = 0; i < tables[t].n; i++)
			comes_to(str_of(tables[t].rows[i].line), tables[t].rows[i].parts,
			    tables[t].name);
	}
	comes_to(STR("a\0b"), ":u", "a NUL");
	comes_to(STR("a \xff"), "a \xff :u", "no UTF-8");
	comes_to(STR(""), ":u", "nothing");
	arrays();
	no_words();
	limits();
	return tap_done();
}
