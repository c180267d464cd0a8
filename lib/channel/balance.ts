import { z } from "zod";

/** A GET request to the upstream and the figure in its answer. */
type BalanceCall<Answer> = {
  path: string;
  headers: (key: string) => Record<string, string>;
  answer: z.ZodType<Answer>;
};

export type BalanceReader = (ask: Ask, now: Date) => Promise<number>;

/** Asks the upstream; throws when it does not answer 2xx. */
export type Ask = (path: string, headers: Record<string, string>) => Promise<unknown>;

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
/** Some services give numbers as text. Anything that is no number is an error, never 0. */
const figure = z.union([z.number(), z.string().regex(/^-?\d+(\.\d+)?$/)]).transform(Number);

function single<Answer>(call: BalanceCall<Answer>, read: (answer: Answer) => number) {
  return (key: string): BalanceReader =>
    async (ask) =>
      read(call.answer.parse(await ask(call.path, call.headers(key))));
}

const subscription = z.object({ hard_limit_usd: figure, has_payment_method: z.boolean().optional() });
const usage = z.object({ total_usage: figure });
const DAY_MS = 86_400_000;
const UNPAID_WINDOW_DAYS = 100;

const dateText = (date: Date): string => date.toISOString().slice(0, 10);

/** OpenAI's old dashboard, which many resale services still speak: limit − usage since the first of the month. */
const openAiDashboard =
  (key: string): BalanceReader =>
  async (ask, now) => {
    const plan = subscription.parse(await ask("/v1/dashboard/billing/subscription", bearer(key)));
    const start = plan.has_payment_method
      ? new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
      : new Date(now.getTime() - UNPAID_WINDOW_DAYS * DAY_MS);
    const window = `start_date=${dateText(start)}&end_date=${dateText(new Date(now.getTime() + DAY_MS))}`;
    const used = usage.parse(await ask(`/v1/dashboard/billing/usage?${window}`, bearer(key)));
    return plan.hard_limit_usd - used.total_usage / 100;
  };

/**
 * How a channel type tells its balance (contract §4.11): in USD, except Moonshot, SiliconFlow and DeepSeek, which count
 * in CNY. Types that are not here have no such call.
 */
export const balanceReaders: ReadonlyMap<number, (key: string) => BalanceReader> = new Map([
  [1, openAiDashboard],
  [8, openAiDashboard],
  [
    10,
    single(
      {
        path: "/api/report/getUserOverview",
        headers: (key) => ({ "api-key": key }),
        answer: z.object({ data: z.object({ totalPoints: figure }) }),
      },
      ({ data }) => data.totalPoints,
    ),
  ],
  [
    12,
    single(
      {
        path: "/dashboard/billing/credit_grants",
        headers: bearer,
        answer: z.object({ total_remaining: figure }),
      },
      (answer) => answer.total_remaining,
    ),
  ],
  [
    13,
    single(
      {
        path: "/dashboard/billing/credit_grants",
        headers: bearer,
        answer: z.object({ total_available: figure }),
      },
      (answer) => answer.total_available,
    ),
  ],
  [
    20,
    single(
      {
        path: "/v1/credits",
        headers: bearer,
        answer: z.object({ data: z.object({ total_credits: figure, total_usage: figure }) }),
      },
      ({ data }) => data.total_credits - data.total_usage,
    ),
  ],
  [
    25,
    single(
      {
        path: "/v1/users/me/balance",
        headers: bearer,
        answer: z.object({ data: z.object({ available_balance: figure }) }),
      },
      ({ data }) => data.available_balance,
    ),
  ],
  [
    40,
    single(
      {
        path: "/v1/user/info",
        headers: bearer,
        answer: z.object({ code: z.literal(20_000), data: z.object({ totalBalance: figure }) }),
      },
      ({ data }) => data.totalBalance,
    ),
  ],
  [
    43,
    single(
      {
        path: "/user/balance",
        headers: bearer,
        answer: z.object({
          balance_infos: z.array(z.object({ currency: z.string(), total_balance: figure })).min(1),
        }),
      },
      ({ balance_infos: entries }) => preferCny(entries),
    ),
  ],
]);

/** Addresses that differ from where the relay sends chats. */
export const BALANCE_BASE_URLS: Readonly<Record<number, string>> = {
  10: "https://aiproxy.io",
  12: "https://api.api2gpt.com",
  13: "https://api.aigc2d.com",
};

function preferCny(entries: { currency: string; total_balance: number }[]): number {
  const entry = entries.find(({ currency }) => currency === "CNY") ?? entries[0];
  if (!entry) throw new Error("no balance in the answer");
  return entry.total_balance;
}
