#include "domain/budget.h"

bool budget_allows(const struct budget *b, double estimate)
{
	return !(b->limit > 0) || b->spent + b->open + estimate <= b->limit;
}

void budget_ask(struct budget *b, double estimate)
{
	b->open += estimate;
}

void budget_settle(struct budget *b, double estimate, double cost)
{
	b->open -= estimate;
	b->spent += cost;
}

int budget_refuse(const struct budget *b, double estimate, struct err *e)
{
	return err_set(e, ERR_TEMP, "the budget of $%.2f does not last for another reply: $%.4f are "
		       "spent, and one more may cost $%.4f; raise --budget", b->limit, b->spent,
		       estimate);
}
