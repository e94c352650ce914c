//go:build ignore

// Times LIBLINEAR's train() and nothing else.
//
// Usage: liblinear_driver MATRIX SOLVER C EPS
//
// MATRIX is in LIBLINEAR's own format, two classes. The solver is 1 (squared hinge), 3 (hinge) or 7 (logistic), all of
// them dual coordinate descent; there is no bias feature. It prints an object of JSON: the size of the matrix, the
// seconds that train() took, its passes, and the primal and dual objective.

#include <linear.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void fail(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fputs("liblinear_driver: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	exit(1);
}

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);
	if (!memory)
		fail("out of memory");
	return memory;
}

// Matrix rows are parsed into one block, so first they are counted.
static struct problem load(const char *path, long *nonzeros)
{
	FILE *file = fopen(path, "r");
	if (!file)
		fail("can't open %s", path);
	char *line = NULL;
	size_t capacity = 0;
	long rows = 0;
	*nonzeros = 0;
	while (getline(&line, &capacity, file) > 0) {
		rows++;
		for (char *c = line; *c; c++)
			*nonzeros += *c == ':';
	}
	struct problem problem = {.l = rows, .bias = -1};
	problem.y = allocate(rows, sizeof *problem.y);
	problem.x = allocate(rows, sizeof *problem.x);
	struct feature_node *node = allocate(*nonzeros + rows, sizeof *node);
	rewind(file);
	for (long row = 0; row < rows; row++) {
		if (getline(&line, &capacity, file) < 0)
			fail("%s changed while it was read", path);
		char *at = line, *end;
		problem.y[row] = strtod(at, &end);
		if (end == at)
			fail("%s, line %ld: no label", path, row + 1);
		problem.x[row] = node;
		for (at = end; at += strspn(at, " \n"), *at; at = end, node++) {
			node->index = strtol(at, &end, 10);
			if (end == at || *end != ':')
				fail("%s, line %ld: not index:value: %.20s", path, row + 1, at);
			at = end + 1;
			node->value = strtod(at, &end);
			if (end == at)
				fail("%s, line %ld: not index:value: %.20s", path, row + 1, at);
			if (node->index > problem.n)
				problem.n = node->index;
		}
		node++->index = -1;
	}
	free(line);
	fclose(file);
	return problem;
}

// What LIBLINEAR prints holds the dual objective and the number of passes.
static char printed[1 << 16];
static size_t printed_length;

static void capture(const char *text)
{
	size_t length = strlen(text);
	if (printed_length + length < sizeof printed) {
		memcpy(printed + printed_length, text, length + 1);
		printed_length += length;
	}
}

static double number_after(const char *label)
{
	const char *at = strstr(printed, label);
	if (!at)
		fail("LIBLINEAR printed no \"%s\" but: %s", label, printed);
	return strtod(at + strlen(label), NULL);
}

static double loss(int solver, double margin)
{
	double short_of = margin < 1 ? 1 - margin : 0;
	switch (solver) {
	case L2R_L2LOSS_SVC_DUAL:
		return short_of * short_of;
	case L2R_L1LOSS_SVC_DUAL:
		return short_of;
	default: // L2R_LR_DUAL; in a form that doesn't overflow
		return margin > 0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin;
	}
}

// 1/2 w'w + C sum of losses
static double primal(const struct problem *problem, const struct model *model, double C)
{
	double squares = 0, losses = 0;
	for (int j = 0; j < problem->n; j++)
		squares += model->w[j] * model->w[j];
	for (int i = 0; i < problem->l; i++) {
		double score = 0;
		for (const struct feature_node *node = problem->x[i]; node->index > 0; node++)
			score += model->w[node->index - 1] * node->value;
		losses += loss(model->param.solver_type, problem->y[i] == model->label[0] ? score : -score);
	}
	return squares / 2 + C * losses;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int count, char **arguments)
{
	if (count != 5)
		fail("usage: liblinear_driver MATRIX SOLVER C EPS");
	long nonzeros;
	struct problem problem = load(arguments[1], &nonzeros);
	struct parameter parameter = {
		.solver_type = atoi(arguments[2]), .C = atof(arguments[3]), .eps = atof(arguments[4]),
	};
	int solver = parameter.solver_type;
	if (solver != L2R_L2LOSS_SVC_DUAL && solver != L2R_L1LOSS_SVC_DUAL && solver != L2R_LR_DUAL)
		fail("solver %d is none of 1, 3 and 7", solver);
	const char *wrong = check_parameter(&problem, &parameter);
	if (wrong)
		fail("%s", wrong);
	set_print_string_function(capture);
	double begin = now();
	struct model *model = train(&problem, &parameter);
	double seconds = now() - begin;
	if (model->nr_class != 2)
		fail("%d classes, not 2", model->nr_class);
	printf("{\"rows\":%d,\"columns\":%d,\"nonzeros\":%ld,\"seconds\":%.6f,\"passes\":%.0f,\"primal\":%.17g,\"dual\":%.17g}\n",
	       problem.l, problem.n, nonzeros, seconds, number_after("#iter = "), primal(&problem, model, parameter.C),
	       -number_after("Objective value = "));
	return 0;
}
