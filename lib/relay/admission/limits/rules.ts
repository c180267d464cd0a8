import type { OptionValues } from "@/lib/option/registry";
import type { Numbers } from "../../base/refusals/refusal-texts";
import type { Caller } from "../authenticate";
import type { Allowance } from "./commands";

/** One limit in a time, with the error of a request beyond it. */
export type Rule = Allowance & {
  /** What fills its text, or the operator's own text. */
  said: Numbers | string;
  refusal: "rate_limit_exceeded" | "token_rate_limit_exceeded";
  onlySuccess: boolean;
};

const MINUTE = 60;

/** Requests in a time: per token, and per user by the account's own limit and by the options (contract §1.1, §4.3 check 10). */
export function requestRules({ token, user }: Caller, options: OptionValues): Rule[] {
  const rules: Rule[] = [];
  if (token.rateLimitCount > 0) {
    const seconds = Math.max(1, token.rateLimitSeconds);
    const limit = token.rateLimitCount;
    const said = token.rateLimitMessage || { text: "keyRequests", limit, seconds };
    rules.push({ ...ruleOf(`t${token.id}`, limit, seconds, said), refusal: "token_rate_limit_exceeded" });
  }
  if (user.requestsPerMinute > 0) {
    const limit = user.requestsPerMinute;
    rules.push(ruleOf(`m${user.id}`, limit, MINUTE, { text: "userRequests", limit }));
  }
  // The playground has no token, and this limit applies to API keys only (contract §1.1).
  if (!options.ModelRequestRateLimitEnabled || token.id === 0) return rules;
  const minutes = options.ModelRequestRateLimitDurationMinutes;
  const seconds = minutes * MINUTE;
  const total = options.ModelRequestRateLimitCount;
  if (total > 0) {
    rules.push(ruleOf(`u${user.id}`, total, seconds, { text: "allRequests", limit: total, minutes }));
  }
  const limit = options.ModelRequestRateLimitSuccessCount;
  if (limit > 0) {
    const said = { text: "successfulRequests", limit, minutes };
    rules.push({ ...ruleOf(`s${user.id}`, limit, seconds, said), onlySuccess: true });
  }
  return rules;
}

function ruleOf(subject: string, limit: number, seconds: number, said: Rule["said"]): Rule {
  return { subject, limit, seconds, said, refusal: "rate_limit_exceeded", onlySuccess: false };
}

/** Tokens of models in a minute, per token and per user. */
export function tokenRules({ token, user }: Caller): Rule[] {
  const rules: Rule[] = [];
  const add = (subject: string, limit: number, text: string): void => {
    const rule = ruleOf(subject, limit, MINUTE, { text, limit });
    rules.push({ ...rule, refusal: "token_rate_limit_exceeded" });
  };
  if (token.tokensPerMinute > 0) add(`tt${token.id}`, token.tokensPerMinute, "keyTokens");
  if (user.tokensPerMinute > 0) add(`tu${user.id}`, user.tokensPerMinute, "userTokens");
  return rules;
}

/** Requests in flight at once, and the text of a request beyond them. */
export type PlaceRule = { subject: string; limit: number; text: string };

/** The token first: what waits for one token's place takes none of its user's. */
export function placeRules({ token, user }: Caller): PlaceRule[] {
  const rules: PlaceRule[] = [];
  const add = (subject: string, limit: number, text: string): void => {
    rules.push({ subject, limit, text });
  };
  if (token.concurrencyLimit > 0) add(`t${token.id}`, token.concurrencyLimit, "keyAtOnce");
  if (user.concurrencyLimit > 0) add(String(user.id), user.concurrencyLimit, "userAtOnce");
  return rules;
}
