import { z } from "zod";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { readText } from "@/lib/http/body";
import { errorMessage, localeOf } from "@/lib/http/message";
import { choiceParam, defined, integerParam, pageParam, textParam } from "@/lib/http/query";
import { Reply } from "@/lib/http/reply";
import { type Route, route } from "@/lib/http/route";
import { redeem } from "@/lib/redemption/commands";
import { receiveEpayNotify } from "@/lib/topup/callback-commands";
import { payWithEpay, payWithStripe, quoteStripe, quoteTopUp } from "@/lib/topup/commands";
import { listLedger, listOwnTopUps, listTopUps } from "@/lib/topup/queries";
import { LEDGER_KINDS, ORDER_STATES, type PayWithEpayInput, PROVIDERS, type TopUpSearch } from "@/lib/topup/schemas";
import { toWireLedger, toWireTopUp } from "@/lib/topup/wire";

/** Limit of the form that a payment gateway posts, in bytes. */
const FORM_BYTES_MAX = 64 * 1_024;

const amount = z.object({
  amount: z.number("topUpAmountInvalid"),
  // Clients of the contract send it, but discount codes do not exist.
  top_up_code: z.string().nullish(),
});
const pay = amount.extend({ payment_method: z.string("paymentMethodUnknown") });

const paging = { p: pageParam, page_size: pageParam };
const times = { start_timestamp: integerParam, end_timestamp: integerParam };
const ownOrders = z.object({
  ...paging,
  ...times,
  status: choiceParam(ORDER_STATES),
  provider: choiceParam(PROVIDERS),
});
const orders = ownOrders.extend({ keyword: textParam });
const movements = z.object({ ...paging, ...times, kind: choiceParam(LEDGER_KINDS), user_id: integerParam });

function toOrderSearch(query: z.output<typeof ownOrders>): TopUpSearch {
  const { p: page, page_size: pageSize, start_timestamp: from, end_timestamp: until, status, provider } = query;
  return defined({ page, pageSize, from, until, status, provider });
}

/** The contract's reply of /amount and /pay: errors too are `{message, data}`. */
async function answerPayment(request: Request, run: () => Promise<Record<string, unknown>>): Promise<Reply> {
  try {
    return new Reply({ message: "success", ...(await run()) });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return new Reply({ success: false, message: "error", data: errorMessage(error, localeOf(request)) });
  }
}

async function notify(ctx: ServiceContext, fields: Record<string, string>): Promise<Response> {
  return answerEpay((await receiveEpayNotify(ctx.db, fields, ctx.clientIp)) ? "success" : "fail");
}

/** The only words that epay's gateway knows. */
function answerEpay(word: "success" | "fail"): Response {
  return new Response(word, { headers: { "content-type": "text/plain; charset=utf-8" } });
}

async function readForm(request: Request): Promise<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(await readText(request, FORM_BYTES_MAX)));
}

export const topUpRoutes: Route[] = [
  route({
    method: "POST",
    path: "/topup",
    access: "user",
    limit: "critical",
    body: z.object({ key: z.string("redemptionCodeMissing") }),
    handler: ({ ctx, body }) => redeem(ctx, body),
  }),
  route({
    method: "POST",
    path: "/amount",
    access: "user",
    body: amount,
    handler: ({ ctx, request, body }) => answerPayment(request, async () => ({ data: await quoteTopUp(ctx, body) })),
  }),
  route({
    method: "POST",
    path: "/pay",
    access: "user",
    limit: "critical",
    body: pay,
    handler: ({ ctx, request, body }) =>
      answerPayment(request, async () => {
        // The command refuses other methods, in the form that answers of payments have.
        const method = body.payment_method as PayWithEpayInput["method"];
        const { url, fields } = await payWithEpay(ctx, { amount: body.amount, method });
        return { data: fields, url };
      }),
  }),
  route({
    method: "POST",
    path: "/stripe/amount",
    access: "user",
    body: amount,
    handler: ({ ctx, request, body }) => answerPayment(request, async () => ({ data: await quoteStripe(ctx, body) })),
  }),
  route({
    method: "POST",
    path: "/stripe/pay",
    access: "user",
    limit: "critical",
    body: amount,
    handler: ({ ctx, request, body }) =>
      answerPayment(request, async () => ({ data: { pay_link: await payWithStripe(ctx, body) } })),
  }),
  route({
    method: "GET",
    path: "/epay/notify",
    access: "public",
    refusal: () => answerEpay("fail"),
    handler: ({ ctx, request }) => notify(ctx, Object.fromEntries(new URL(request.url).searchParams)),
  }),
  route({
    method: "POST",
    path: "/epay/notify",
    access: "public",
    refusal: () => answerEpay("fail"),
    handler: async ({ ctx, request }) => notify(ctx, await readForm(request)),
  }),
  route({
    method: "GET",
    path: "/topup/self",
    reads: true,
    access: "user",
    query: ownOrders,
    handler: async ({ ctx, query }) => {
      const found = await listOwnTopUps(ctx, toOrderSearch(query));
      return { items: found.items.map(toWireTopUp), total: found.total, page: found.page, page_size: found.pageSize };
    },
  }),
  route({
    method: "GET",
    path: "/topup",
    reads: true,
    access: "admin",
    query: orders,
    handler: async ({ ctx, query }) => {
      const found = await listTopUps(ctx, { ...toOrderSearch(query), ...defined({ keyword: query.keyword }) });
      return { items: found.items.map(toWireTopUp), total: found.total, page: found.page, page_size: found.pageSize };
    },
  }),
  route({
    method: "GET",
    path: "/ledger",
    reads: true,
    access: "user",
    query: movements,
    handler: async ({ ctx, query }) => {
      const { p: page, page_size: pageSize, start_timestamp: from, end_timestamp: until, user_id: userId } = query;
      const found = await listLedger(ctx, defined({ page, pageSize, from, until, userId, kind: query.kind }));
      return { items: found.items.map(toWireLedger), total: found.total, page: found.page, page_size: found.pageSize };
    },
  }),
];
