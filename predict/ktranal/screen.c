/* SPDX-License-Identifier: MIT */
#include "screen.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "util/file.h"

/* ECMA-48, and the private modes of xterm: the other screen, no cursor, no wrapping of lines. */
static const char begin[] = "\033[?1049h\033[?25l\033[?7l", end[] = "\033[?7h\033[?25h\033[?1049l";
static const char home[] = "\033[H", end_of_line[] = "\033[K\r\n", rest[] = "\033[J";

static struct {
	int fd; /* of the terminal; 0: not open */
	struct termios before;
	int streams[3]; /* copies of the standard streams; 0: left as it was */
} screen;

static void put(const char *text, size_t n)
{
	file_write_all(screen.fd, text, n); /* fails when the terminal is gone: a hangup follows */
}

static void hide_streams(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = 0; i < 3 && null >= 0; i++) {
		if (!isatty(i))
			continue;
		screen.streams[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
		if (screen.streams[i] > 0)
			dup2(null, i);
	}
	if (null >= 0)
		close(null);
}

bool screen_open(void)
{
	static bool registered;
	const char *kind = getenv("TERM");
	struct termios raw;

	if (!isatty(STDOUT_FILENO) || !kind || !strcmp(kind, "dumb"))
		return false;
	screen.fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (screen.fd < 0 || tcgetattr(screen.fd, &screen.before)) {
		if (screen.fd >= 0)
			close(screen.fd);
		screen.fd = 0;
		return false;
	}
	if (!registered)
		atexit(screen_close);
	registered = true;
	hide_streams();
	raw = screen.before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = raw.c_cc[VTIME] = 0; /* a read never waits */
	tcsetattr(screen.fd, TCSADRAIN, &raw);
	put(begin, sizeof(begin) - 1);
	return true;
}

int screen_height(void)
{
	struct winsize size;

	return !ioctl(screen.fd, TIOCGWINSZ, &size) && size.ws_row ? size.ws_row : 24;
}

void screen_draw(const char *text)
{
	int left = screen_height();

	put(home, sizeof(home) - 1);
	while (*text && --left > 0) {
		size_t n = strcspn(text, "\n");

		put(text, n);
		put(end_of_line, sizeof(end_of_line) - 1);
		text += n + (text[n] == '\n');
	}
	put(rest, sizeof(rest) - 1);
}

int screen_key(void)
{
	unsigned char key;

	return read(screen.fd, &key, 1) == 1 ? key : 0;
}

void screen_close(void)
{
	if (!screen.fd)
		return;
	put(end, sizeof(end) - 1);
	tcsetattr(screen.fd, TCSADRAIN, &screen.before);
	for (int i = 0; i < 3; i++) {
		if (screen.streams[i] <= 0)
			continue;
		dup2(screen.streams[i], i);
		close(screen.streams[i]);
		screen.streams[i] = 0;
	}
	close(screen.fd);
	screen.fd = 0;
}
