/* SPDX-License-Identifier: MIT */
/* Fuzzes the reader of what kdump(1) prints. */
#include "trace/source.h"

#include "events.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct source *s = source_open_memory(data, n, "fuzz", NULL);

	if (!s)
		return 0;
	touch_all(s, 10 * n + 100);
	if (source_losses(s)->bad_lines > n)
		abort();
	source_close(s);
	return 0;
}

static const struct fuzz_seed seeds[] = {
	FUZZ_TEXT("   100 100071 my prog  1700000000.000001000  1 CALL  F64  read[3](0x3,0x10,2)\n"
		  "   100 100072 my prog  1700000000.000002000  0 CALL  F64  pipe2[542](0x10,0)\n"
		  "   100 100071 my prog  1700000000.000003000  1 PSIG  SIGALRM caught "
		  "handler=0x2010 mask=0x0\n"
		  "   100 100071 my prog  1700000000.000004000  1 RET   F64  read[3] RESTART\n"
		  "Events dropped.\n"
		  "   100 100071 my prog  1700000000.000010000  1 CSW   stop kernel \"select\"\n"
		  "   100 100071 my prog  1700000000.000011000  1 CALL  F64  [900](0x7)\n"
		  "   100 100071 x 1700000000.000012000  1 RET   F64  [900] -1 errno 78 No\n"
		  "   100 100071 x 1700000000.000012000  1 PFLT  0x7000 0x2<VM_PROT_WRITE>\n"),
	FUZZ_TEXT("   200    200 sh       0.000000100 EMUL  \"linux32\"\n"
		  "   200    200 sh       0.000000100 CALL  __sigprocmask14(1,0x10,0x20)\n"
		  "   200    200 sh       0.000002000 RET   __sigprocmask14 0\n"
		  "   200    200 sh       0.000000500 CALL  fork\n"
		  "   200    200 sh       0.000010000 RET   fork 201/0xc9, 1\n"
		  "   201    201 sh       0.000000001 CALL  socket(PF_INET,SOCK_STREAM,0)\n"
		  "   201    201 sh       0.000000001 CALL  exit(0)\n"),
	FUZZ_TEXT("   300 ksh      CALL  execve(0x10,0x20<O_RDONLY|O_X>,-1)\n"
		  "   300 ksh      NAMI  \"/bin/ls\"\n"
		  "   300/7 ksh    ARGS\n\t[0] = \"ls\"\n\t[1] = \"a b\"\n"
		  "   300 ls       RET   execve JUSTRETURN\n"
		  "   300 ls       GIO   fd 3 read 12 bytes\n       \"text\n       \"\n"),
};

FUZZ_MAIN(seeds)
