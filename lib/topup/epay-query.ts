import { z } from "zod";
import { egressFetch } from "@/lib/egress";
import { AppError } from "@/lib/errors";
import type { EpayMerchant } from "./epay";
import { readCents } from "./payable";

const TIMEOUT_MS = 5_000;
const ANSWER_BYTES_MAX = 64 * 1_024;

/** Gateways differ in whether numbers are sent as numbers or as text. */
const text = z.union([z.string(), z.number()]).transform(String);
const answerSchema = z.object({
  code: text,
  status: text.optional(),
  pid: text.optional(),
  out_trade_no: text.optional(),
  money: text.optional(),
});

/**
 * Asks epay about an order (contract §10.2, `api.php?act=order`). Returns its payment, or null while it is unpaid or
 * unknown. The answer is not signed, so it counts only with the order's and merchant's numbers in it. Throws upstream.
 */
export async function askEpay(
  merchant: EpayMerchant,
  tradeNo: string,
): Promise<{ tradeNo: string; cents: number } | null> {
  const query = new URLSearchParams({ act: "order", pid: merchant.id, key: merchant.key, out_trade_no: tradeNo });
  const reply = await egressFetch(`${merchant.address}/api.php?${query}`, {
    timeoutMs: TIMEOUT_MS,
    maxBytes: ANSWER_BYTES_MAX,
    trust: "operator",
  });
  const answer = parse(reply.body.toString("utf8"));
  if (reply.status !== 200 || !answer) throw new AppError("upstream", "paymentProviderFailed");
  if (answer.code !== "1" || answer.status !== "1") return null;
  if (answer.out_trade_no !== tradeNo || (answer.pid ?? merchant.id) !== merchant.id) return null;
  const cents = readCents(answer.money ?? "");
  return cents === null ? null : { tradeNo, cents };
}

function parse(body: string): z.output<typeof answerSchema> | null {
  try {
    return answerSchema.safeParse(JSON.parse(body)).data ?? null;
  } catch {
    // No JSON: a proxy's page, for example.
    return null;
  }
}
