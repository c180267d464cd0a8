import { z } from "zod";
import type { BalanceReader } from "./channel-type";

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
/** Some services send numbers as strings. Anything else is an error, never 0. */
const figure = z.union([z.number(), z.string().regex(/^-?\d+(\.\d+)?$/)]).transform(Number);

/** A single GET request and the field with the balance. */
type BalanceCall<Answer> = {
  path: string;
  headers?: (key: string) => Record<string, string>;
  answer: z.ZodType<Answer>;
  pick: (answer: Answer) => number;
};

function single<Answer>({ path, headers = bearer, answer, pick }: BalanceCall<Answer>): BalanceReader {
  return { read: async (ask, key) => pick(answer.parse(await ask(path, headers(key)))) };
}

const subscription = z.object({ hard_limit_usd: figure, has_payment_method: z.boolean().optional() });
const usage = z.object({ total_usage: figure });
const DAY_MS = 86_400_000;
const UNPAID_WINDOW_DAYS = 100;

const dateText = (date: Date): string => date.toISOString().slice(0, 10);

/**
 * OpenAI's old dashboard API, which many resellers still offer: limit − usage since the first of the month, or of the
 * last 100 days without a payment method.
 */
export const openaiDashboard: BalanceReader = {
  read: async (ask, key, now) => {
    const plan = subscription.parse(await ask("/v1/dashboard/billing/subscription", bearer(key)));
    const start = plan.has_payment_method
      ? new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
      : new Date(now.getTime() - UNPAID_WINDOW_DAYS * DAY_MS);
    const window = `start_date=${dateText(start)}&end_date=${dateText(new Date(now.getTime() + DAY_MS))}`;
    const used = usage.parse(await ask(`/v1/dashboard/billing/usage?${window}`, bearer(key)));
    return plan.hard_limit_usd - used.total_usage / 100;
  },
};

export const aiProxyPoints: BalanceReader = {
  baseUrl: "https://aiproxy.io",
  ...single({
    path: "/api/report/getUserOverview",
    headers: (key) => ({ "api-key": key }),
    answer: z.object({ data: z.object({ totalPoints: figure }) }),
    pick: ({ data }) => data.totalPoints,
  }),
};

export const api2gptGrants = single({
  path: "/dashboard/billing/credit_grants",
  answer: z.object({ total_remaining: figure }),
  pick: (answer) => answer.total_remaining,
});

export const aigc2dGrants = single({
  path: "/dashboard/billing/credit_grants",
  answer: z.object({ total_available: figure }),
  pick: (answer) => answer.total_available,
});

export const openrouterCredits = single({
  path: "/v1/credits",
  answer: z.object({ data: z.object({ total_credits: figure, total_usage: figure }) }),
  pick: ({ data }) => data.total_credits - data.total_usage,
});

/** In CNY. */
export const moonshotBalance = single({
  path: "/v1/users/me/balance",
  answer: z.object({ data: z.object({ available_balance: figure }) }),
  pick: ({ data }) => data.available_balance,
});

/** In CNY. */
export const siliconflowBalance = single({
  path: "/v1/user/info",
  answer: z.object({ code: z.literal(20_000), data: z.object({ totalBalance: figure }) }),
  pick: ({ data }) => data.totalBalance,
});

/** Prefers CNY when the account has several currencies. */
export const deepseekBalance = single({
  path: "/user/balance",
  answer: z.object({ balance_infos: z.array(z.object({ currency: z.string(), total_balance: figure })).min(1) }),
  pick: ({ balance_infos: entries }) => {
    const entry = entries.find(({ currency }) => currency === "CNY") ?? entries[0];
    if (!entry) throw new Error("no balance in the answer");
    return entry.total_balance;
  },
});
