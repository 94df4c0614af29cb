/* SPDX-License-Identifier: MIT */
/*
 * mkfilter ARCH NAME IN.def OUT.h: compiles a table of system calls to a BPF program in C.
 *
 * One row a line; the text after ':' says why and is not read. Lines starting with '#' are
 * notes.
 *
 *	allow read write : frames
 *	allow mmap if arg2 & PROT_EXEC == 0 and arg3 & MAP_TYPE == MAP_PRIVATE : never
 * executable allow? epoll_wait : the mark says that an architecture may lack it errno
 * EAFNOSUPPORT socket : libraries then do without include common.def
 *
 * Rows with conditions for one call add up. What no row names answers EPERM, or ENOSYS from
 * number 424 on. Another architecture and x32 kill the process. Runs while building only.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define COUNT(array)  (sizeof(array) / sizeof((array)[0]))
#define WORDS_MAX     64
#define CODE_MAX      4096
#define DEFAULT_MARK  4094 /* stands for "no row" until finish() replaces it */
#define FIRST_ENOSYS  424
#define LINE_MAX_SIZE 1024

#define CLONE_NEW_ANY                                                                  \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
	    CLONE_NEWPID | CLONE_NEWNET | 0x80 /* CLONE_NEWTIME */)

/* Of clone: namespaces, and children that are somebody else's. */
#define CLONE_ODD (CLONE_NEW_ANY | CLONE_PARENT | CLONE_PTRACE)

struct place {
	const char *file;
	unsigned line;
};

struct row {
	uint32_t action;
	bool may_lack;
	const char *calls[WORDS_MAX];
	size_t call_count;
	struct scmp_arg_cmp conditions[6];
	size_t condition_count;
};

#define VALUE(name) { #name, (uint64_t)(name) }
static const struct {
	const char *name;
	uint64_t value;
} values[] = {
	VALUE(PROT_EXEC),
	VALUE(MAP_TYPE),
	VALUE(MAP_PRIVATE),
	VALUE(MAP_SHARED),
	VALUE(MAP_ANONYMOUS),
	VALUE(MADV_DONTNEED),
	VALUE(MADV_FREE),
	VALUE(MADV_WILLNEED),
	VALUE(MADV_HUGEPAGE),
	VALUE(MADV_NOHUGEPAGE),
	VALUE(MADV_DONTDUMP),
	{ "MADV_POPULATE_READ", 22 },
	{ "MADV_POPULATE_WRITE", 23 },
	{ "FUTEX_COMMAND", 0x7f },
	{ "FUTEX_WAIT", 0 },
	{ "FUTEX_WAKE", 1 },
	{ "FUTEX_WAIT_BITSET", 9 },
	{ "FUTEX_WAKE_BITSET", 10 },
	VALUE(F_GETFL),
	VALUE(F_GETFD),
	VALUE(F_SETFL),
	VALUE(F_SETFD),
	VALUE(F_DUPFD_CLOEXEC),
	VALUE(CLONE_THREAD),
	VALUE(CLONE_NEW_ANY),
	VALUE(CLONE_ODD),
	VALUE(AF_UNIX),
	VALUE(AF_INET),
	VALUE(AF_INET6),
	VALUE(AF_NETLINK),
	VALUE(FIONREAD),
	VALUE(FIONBIO),
	VALUE(FIOCLEX),
	VALUE(TCGETS),
	VALUE(TIOCGWINSZ),
	VALUE(PR_SET_NAME),
	VALUE(PR_SET_PDEATHSIG),
	VALUE(PR_SET_SECCOMP),
	/* Of open: what does not only look. O_TMPFILE needs O_WRONLY. */
	{ "O_CHANGING", O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND },
	VALUE(PR_GET_DUMPABLE),
	VALUE(PR_GET_NO_NEW_PRIVS),
	{ "PR_SET_VMA", 0x53564d41 },
};
static const struct {
	const char *name;
	int value;
} errnos[] = {
	{ "EPERM", EPERM },
	{ "ENOSYS", ENOSYS },
	{ "EAFNOSUPPORT", EAFNOSUPPORT },
	{ "ENOTTY", ENOTTY },
	{ "EACCES", EACCES },
	{ "EOPNOTSUPP", EOPNOTSUPP },
	{ "ENOMEM", ENOMEM },
	{ "EAGAIN", EAGAIN },
	{ "SUCCESS", 0 },
};
static const struct {
	const char *name;
	uint32_t token;
} machines[] = { { "x86_64", SCMP_ARCH_X86_64 }, { "aarch64", SCMP_ARCH_AARCH64 } };

static void __attribute__((noreturn, format(printf, 2, 3)))
fail(const struct place *at, const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "%s:%u: ", at->file, at->line);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static uint64_t
value_of(const char *word, const struct place *at)
{
	char *end;
	uint64_t value;

	for (size_t i = 0; i < COUNT(values); i++)
		if (strcmp(word, values[i].name) == 0)
			return values[i].value;
	errno = 0;
	value = strtoull(word, &end, 0);
	if (errno || end == word || *end)
		fail(at, "'%s' is neither a number nor a name in mkfilter's list", word);
	return value;
}

static uint32_t
errno_action(const char *word, const struct place *at)
{
	for (size_t i = 0; i < COUNT(errnos); i++)
		if (strcmp(word, errnos[i].name) == 0)
			return SCMP_ACT_ERRNO((uint32_t)errnos[i].value);
	fail(at, "'%s' is no errno in mkfilter's list", word);
}

/* "arg2 == 5", "arg2 != 5", "arg2 & 4 == 0"; returns the number of words used. */
static size_t
read_condition(char **words, size_t count, struct scmp_arg_cmp *ret_cmp, const struct place *at)
{
	unsigned arg = 6;

	if (count >= 3 && strncmp(words[0], "arg", 3) == 0 && words[0][3] && !words[0][4])
		arg = (unsigned)(words[0][3] - '0');
	if (arg > 5)
		fail(at, "a condition is 'argN == VALUE' or 'argN & MASK == VALUE'");
	if (strcmp(words[1], "==") == 0 || strcmp(words[1], "!=") == 0) {
		*ret_cmp = (struct scmp_arg_cmp){
			.arg = arg,
			.op = words[1][0] == '=' ? SCMP_CMP_EQ : SCMP_CMP_NE,
			.datum_a = value_of(words[2], at),
		};
		return 3;
	}
	if (count < 5 || strcmp(words[1], "&") != 0 || strcmp(words[3], "==") != 0)
		fail(at, "unknown comparison '%s'", words[1]);
	*ret_cmp = (struct scmp_arg_cmp){
		.arg = arg,
		.op = SCMP_CMP_MASKED_EQ,
		.datum_a = value_of(words[2], at),
		.datum_b = value_of(words[4], at),
	};
	return 5;
}

static void
read_conditions(char **words, size_t count, struct row *row, const struct place *at)
{
	while (count) {
		size_t used;

		if (row->condition_count == COUNT(row->conditions))
			fail(at, "more than %zu conditions", COUNT(row->conditions));
		used =
		    read_condition(words, count, &row->conditions[row->condition_count++], at);
		words += used;
		count -= used;
		if (count == 0)
			return;
		if (strcmp(words[0], "and") != 0 || count == 1)
			fail(at, "conditions are joined by 'and'");
		words++;
		count--;
	}
}

static struct row
read_row(char **words, size_t count, const struct place *at)
{
	struct row row = { .action = SCMP_ACT_ALLOW };
	size_t i = 1, n = strlen(words[0]);

	if (n && words[0][n - 1] == '?') {
		row.may_lack = true;
		words[0][n - 1] = '\0';
	}
	if (strcmp(words[0], "errno") == 0 && count > 1)
		row.action = errno_action(words[i++], at);
	else if (strcmp(words[0], "kill") == 0)
		row.action = SCMP_ACT_KILL_PROCESS;
	else if (strcmp(words[0], "allow") != 0)
		fail(at, "unknown verdict '%s'", words[0]);
	for (; i < count && strcmp(words[i], "if") != 0; i++)
		row.calls[row.call_count++] = words[i];
	if (row.call_count == 0)
		fail(at, "no system call named");
	if (i < count)
		read_conditions(words + i + 1, count - i - 1, &row, at);
	if (i + 1 == count)
		fail(at, "'if' without a condition");
	return row;
}

static void
add_row(scmp_filter_ctx ctx, const struct row *row, const struct place *at)
{
	for (size_t i = 0; i < row->call_count; i++) {
		int nr =
		    seccomp_syscall_resolve_name_arch(seccomp_arch_native(), row->calls[i]);
		int r;

		if (nr == __NR_SCMP_ERROR && !row->may_lack)
			fail(at, "no system call is called '%s'", row->calls[i]);
		nr = seccomp_syscall_resolve_name(row->calls[i]);
		r = seccomp_rule_add_array(ctx, row->action, nr, (unsigned)row->condition_count,
		    row->conditions);
		if (r < 0 && !row->may_lack)
			fail(at, "'%s': %s", row->calls[i], strerror(-r));
	}
}

static size_t
split(char *line, char **words)
{
	size_t count = 0;
	char *colon = strchr(line, ':');

	if (colon)
		*colon = '\0';
	for (char *save, *w = strtok_r(line, " \t\n", &save); w;
	    w = strtok_r(NULL, " \t\n", &save)) {
		if (count == WORDS_MAX)
			break;
		words[count++] = w;
	}
	return count;
}

static void read_file(scmp_filter_ctx ctx, const char *path, unsigned depth);

static void
include(scmp_filter_ctx ctx, const char *name, unsigned depth, const struct place *at)
{
	const char *slash = strrchr(at->file, '/');
	int folder = slash ? (int)(slash - at->file) + 1 : 0;
	char path[LINE_MAX_SIZE];

	if (depth == 3)
		fail(at, "files include each other");
	snprintf(path, sizeof(path), "%.*s%s", folder, at->file, name);
	read_file(ctx, path, depth + 1);
}

static void
read_file(scmp_filter_ctx ctx, const char *path, unsigned depth)
{
	struct place at = { path, 0 };
	char line[LINE_MAX_SIZE];
	char *words[WORDS_MAX];
	FILE *in = fopen(path, "r");

	if (!in)
		fail(&at, "%s", strerror(errno));
	while (fgets(line, sizeof(line), in)) {
		size_t count;
		struct row row;

		at.line++;
		if (line[0] == '#')
			continue;
		count = split(line, words);
		if (count == 0)
			continue;
		if (count == 2 && strcmp(words[0], "include") == 0) {
			include(ctx, words[1], depth, &at);
			continue;
		}
		row = read_row(words, count, &at);
		add_row(ctx, &row, &at);
	}
	fclose(in);
}

/* "No row" becomes a jump to a tail that tells old numbers from new ones. */
static size_t
finish(struct sock_filter *code, size_t count, const struct place *at)
{
	const struct sock_filter tail[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_ENOSYS, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	size_t found = 0;

	if (count + COUNT(tail) > CODE_MAX)
		fail(at, "the filter is too long");
	for (size_t i = 0; i < count; i++) {
		if (code[i].code != (BPF_RET | BPF_K) ||
		    code[i].k != (SECCOMP_RET_ERRNO | DEFAULT_MARK))
			continue;
		code[i] =
		    (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, (uint32_t)(count - i - 1));
		found++;
	}
	if (found == 0)
		fail(at, "the compiled filter has no default");
	memcpy(code + count, tail, sizeof(tail));
	return count + COUNT(tail);
}

static size_t
compile(scmp_filter_ctx ctx, struct sock_filter *ret_code, const struct place *at)
{
	FILE *file = tmpfile();
	size_t count;

	if (!file)
		fail(at, "no temporary file: %s", strerror(errno));
	if (seccomp_export_bpf(ctx, fileno(file)) < 0)
		fail(at, "libseccomp cannot compile it");
	if (fseek(file, 0, SEEK_SET) < 0)
		fail(at, "the temporary file cannot be read: %s", strerror(errno));
	count = fread(ret_code, sizeof(*ret_code), CODE_MAX, file);
	if (ferror(file))
		fail(at, "the temporary file cannot be read");
	fclose(file);
	return finish(ret_code, count, at);
}

static void
print(const char *path, const char *name, const struct sock_filter *code, size_t count)
{
	struct place at = { path, 0 };
	FILE *out = fopen(path, "w");

	if (!out)
		fail(&at, "%s", strerror(errno));
	fprintf(out, "/* Made by mkfilter from %s.def; do not edit. */\n", name);
	fprintf(out, "#include \"sandbox/seccomp.h\"\n\n");
	fprintf(out, "static const struct sock_filter filter_%s_code[] = {\n", name);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "\t{ 0x%02x, %u, %u, 0x%08x },\n", code[i].code, code[i].jt,
		    code[i].jf, code[i].k);
	fprintf(out, "};\n\nstatic const struct seccomp_filter filter_%s = {\n", name);
	fprintf(out, "\t\"%s\", %zu, filter_%s_code,\n};\n", name, count, name);
	if (fclose(out) != 0)
		fail(&at, "%s", strerror(errno));
}

static void
choose_machine(scmp_filter_ctx ctx, const char *arch, const struct place *at)
{
	for (size_t i = 0; i < COUNT(machines); i++) {
		if (strcmp(arch, machines[i].name) != 0)
			continue;
		if (machines[i].token == seccomp_arch_native())
			return;
		if (seccomp_arch_remove(ctx, seccomp_arch_native()) < 0 ||
		    seccomp_arch_add(ctx, machines[i].token) < 0)
			fail(at, "libseccomp cannot compile for %s", arch);
		return;
	}
	fail(at, "no filters for the architecture '%s'", arch);
}

int
main(int argc, char **argv)
{
	static struct sock_filter code[CODE_MAX];
	struct place at = { argc > 3 ? argv[3] : "mkfilter", 0 };
	scmp_filter_ctx ctx;

	if (argc != 5)
		fail(&at, "use: mkfilter ARCH NAME IN.def OUT.h");
	ctx = seccomp_init(SCMP_ACT_ERRNO(DEFAULT_MARK));
	if (!ctx)
		fail(&at, "libseccomp does not start");
	choose_machine(ctx, argv[1], &at);
	if (seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) < 0 ||
	    seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2) < 0)
		fail(&at, "libseccomp does not take its settings");
	read_file(ctx, argv[3], 0);
	print(argv[4], argv[2], code, compile(ctx, code, &at));
	seccomp_release(ctx);
	return 0;
}
