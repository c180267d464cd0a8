import { z } from "zod";
import { address, line, lines, number, type OptionDefinition } from "../definition";

/** Refused: their smallest unit at Stripe is not a hundredth, while prices here have two decimals. */
const OTHER_DECIMALS =
  "bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf bhd iqd jod kwd lyd omr tnd".split(" ");

const currency = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z]{3}$/, { message: "currency" })
  .refine((code) => !OTHER_DECIMALS.includes(code), { message: "currency" });

/** Statements, and card payments through Stripe; epay's options are in server.ts. */
export const paymentOptions = {
  /** The operator on statements: the name, then the address, line by line. */
  StatementIssuer: { schema: lines, default: "", delicate: false, running: "none", card: "payment" },
  /** Such as a tax number; below the address. */
  StatementTaxLine: { schema: line, default: "", delicate: false, running: "none", card: "payment" },
  StripeApiSecret: { schema: line, default: "", delicate: true, running: "none", secret: true, card: "stripe" },
  StripeWebhookSecret: { schema: line, default: "", delicate: true, running: "none", secret: true, card: "stripe" },
  StripeCurrency: { schema: currency, default: "usd", delicate: false, running: "none", card: "stripe" },
  /** Amount of the currency for one unit. */
  StripeUnitPrice: {
    schema: number({ min: 0, max: 1e9 }),
    default: "1",
    delicate: false,
    running: "none",
    card: "stripe",
  },
  StripeMinTopUp: {
    schema: number({ min: 1, max: 1e9, integer: true }),
    default: "1",
    delicate: false,
    running: "none",
    card: "stripe",
    unit: "currency",
  },
  /** Empty = Stripe's own address; set it for a proxy. */
  StripeApiAddress: { schema: address, default: "", delicate: true, running: "none", card: "stripe" },
} as const satisfies Record<string, OptionDefinition>;
