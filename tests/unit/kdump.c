/* SPDX-License-Identifier: MIT */
/* Tests of the reader of what kdump(1) prints. */
#include "trace/source.h"

#include "../tap.h"
#include "event_text.h"

static struct source_losses losses;
static struct source_info info;

/* The events as text, without those about descriptors. */
static char *read_all(const char *log)
{
	struct error error = { "" };
	struct source *s = source_open_memory(log, strlen(log), "log", &error);
	struct event e;
	char *out;
	size_t size;
	FILE *t = open_memstream(&out, &size);

	while (s && source_next(s, &e, &error) == 1)
		if (e.type != EVENT_FD && e.type != EVENT_COMM)
			add_event(t, &e);
	fprintf(t, "%s", error.text);
	if (s) {
		info = *source_info(s);
		losses = *source_losses(s);
	}
	fclose(t);
	source_close(s);
	return out;
}

static const struct {
	const char *test, *os, *log, *events;
	unsigned bad;
} logs[] = {
	{ "FreeBSD, without times", "FreeBSD",
	  "  1234 ktrace   RET   ktrace 0\n"
	  "  1234 ktrace   CALL  execve(0x7fffffffe2a8,0x7fffffffe7c8,0x7fffffffe7d8)\n"
	  "  1234 ktrace   NAMI  \"/bin/ls\"\n"
	  "  1234 ls       RET   execve JUSTRETURN\n"
	  "  1234 ls       CALL  compat11.fstat(0x3,0x10)\n"
	  "  1234 ls       STRU  struct stat {dev=70, ino=3}\n"
	  "  1234 ls       RET   compat11.fstat 0\n"
	  "  1234 ls       CALL  openat(AT_FDCWD,0x20,0x100000<O_RDONLY|O_CLOEXEC>)\n"
	  "  1234 ls       NAMI  \"/etc/x\"\n"
	  "  1234 ls       RET   openat -1 errno 2 No such file or directory\n"
	  "  1234 ls       CALL  cap_enter\n"
	  "  1234 ls       RET   cap_enter 0\n"
	  "  1234 ls       CALL  read(0x3,0x10,0x400)\n"
	  "  1234 ls       GIO   fd 3 read 12 bytes\n"
	  "       \"  1234 ls       CALL  getpid\n"
	  "\tx\n\n"
	  "       \"\n"
	  "  1234 ls       RET   read 12/0xc\n"
	  "  1234 ls       CALL  exit(0x2)\n",
	  "1234 execve(140737488347816,140737488349128,140737488349144)=0 '/bin/ls'\n"
	  "1234 exec /bin/ls\n"
	  "1234 freebsd11_fstat(3,16)=0\n"
	  "1234 openat(-100,32,1048576)=-2 '/etc/x'\n"
	  "1234 cap_enter()=0\n"
	  "1234 read(3,16,1024)=12\n"
	  "1234 exit(2)=0 nothing\n"
	  "1234 exit 512 last\n",
	  0 },
	{ "FreeBSD -H -T -c -A -S", "FreeBSD",
	  "   100 100071 my prog  1700000000.000001000  1 CALL  F64  read[3](0x3,0x10,0x400)\n"
	  "   100 100072 my prog  1700000000.000002000  0 CALL  F64  pipe2[542](0x10,0)\n"
	  "   100 100071 my prog  1700000000.000003000  1 PSIG  SIGALRM caught "
	  "handler=0x2010 mask=0x0 code=SI_KERNEL\n"
	  "   100 100071 my prog  1700000000.000004000  1 RET   F64  read[3] RESTART\n"
	  "   100 100071 my prog  1700000000.000005000  1 CALL  F64  sigreturn[417](0x20)\n"
	  "   100 100071 my prog  1700000000.000006000  1 RET   F64  sigreturn[417] JUSTRETURN\n"
	  "   100 100071 my prog  1700000000.000007000  1 CALL  F64  read[3](0x3,0x10,0x400)\n"
	  "   100 100072 my prog  1700000000.000008000  0 RET   F64  pipe2[542] 0\n"
	  "Events dropped.\n"
	  "   100 100071 my prog  1700000000.000009000  1 RET   F64  read[3] 7\n"
	  "   100 100071 my prog  1700000000.000010000  1 CSW   stop kernel \"select\"\n"
	  "   100 100071 my prog  1700000000.000011000  1 CALL  F64  [900](0x7)\n"
	  "   100 100071 my prog  1700000000.000012000  1 RET   F64  [900] -1 errno 78 Function "
	  "not implemented\n",
	  "100 clock 1700000000000001000\n"
	  "100 @1000 fork 100/100072\n"
	  "100 @2000 signal 14\n"
	  "100 @4000 sigreturn(32)=0 <1000>\n"
	  "100/100072 @1000 pipe2(16)=0 <6000>\n"
	  "0 @7000 lost 0 class 1\n"
	  "100 read(3,16,1024)=7 <5000> restarted\n"
	  "100 @9000 out cpu 1 state 2 next 0\n"
	  "100 @10000 syscall_900(7)=-78 <1000>\n",
	  0 },
	{ "NetBSD -R", "NetBSD",
	  "   200    200 sh       0.000000100 CALL  __sigprocmask14(1,0x10,0x20)\n"
	  "   200    200 sh       0.000002000 RET   __sigprocmask14 0\n"
	  "   200    200 sh       0.000000500 CALL  fork\n"
	  "   200    200 sh       0.000010000 RET   fork 201/0xc9\n"
	  "   200    200 sh       0.000000001 CALL  pipe2(0x10,0)\n"
	  "   200    200 sh       0.000003000 RET   pipe2 RESTART\n",
	  "200 sigprocmask(1,16,32)=0 <2000>\n"
	  "200 @2500 fork()=201 <10000>\n"
	  "200 @12500 fork 201/201\n"
	  "200 @12501 pipe2(16)=-4 <3000>\n",
	  0 },
	{ "OpenBSD -T, and lines of another kind", "OpenBSD",
	  "   300 ksh      1700000000.000001 CALL  kbind(0x10,24,0x5)\n"
	  "   300 ksh      1700000000.000003 RET   kbind 0\n"
	  "   300 ksh      1700000000.000004 CALL  execve(0x10,0x20,0x30)\n"
	  "   300 ksh      1700000000.000005 NAMI  \"/bin/ls\"\n"
	  "   300 ksh      1700000000.000006 ARGS\n"
	  "\t[0] = \"ls\"\n"
	  "\t[1] = \"a b\"\n"
	  "   300 ls       1700000000.000007 RET   execve JUSTRETURN\n"
	  "some text\n"
	  "   300 ls       1700000000.000008 NAMI  /bin/ls\n"
	  "   300 ls       1700000000.000009 RET   read\n"
	  "   300 ls       1700000000.000010 PSIG  SIGTERM SIG_DFL\n",
	  "300 clock 1700000000000001000\n"
	  "300 kbind(16,24,5)=0 <2000>\n"
	  "300 @3000 execve(16,32,48)=0 <3000> '/bin/ls'\n"
	  "300 @6000 exec ls 'a b'\n"
	  "300 @9000 signal 15\n",
	  3 },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(logs) / sizeof(*logs); i++) {
		char *got = read_all(logs[i].log);

		is_string(got, logs[i].events, "%s", logs[i].test);
		is_string(info.os->name, logs[i].os, "the system");
		cmp_int(losses.bad_lines, logs[i].bad, "bad lines");
		free(got);
	}
	return done_testing();
}
