import type { OptionValues } from "@/lib/option/registry";
import type { Caller } from "../stages/authenticate";
import type { Allowance } from "./commands";

/** One limit in a time, with the error of a request beyond it. */
export type Rule = Allowance & { message: string; code: string; onlySuccess: boolean };

const MINUTE = 60;

/** Requests in a time: per token, and per user by the account's own limit and by the options (contract §1.1, §4.3 check 10). */
export function requestRules({ token, user }: Caller, options: OptionValues): Rule[] {
  const rules: Rule[] = [];
  if (token.rateLimitCount > 0) {
    const seconds = Math.max(1, token.rateLimitSeconds);
    const message =
      token.rateLimitMessage || `the API key allows ${token.rateLimitCount} requests in ${seconds} seconds`;
    const code = "token_rate_limit_exceeded";
    rules.push({ subject: `t${token.id}`, limit: token.rateLimitCount, seconds, message, code, onlySuccess: false });
  }
  const code = "rate_limit_exceeded";
  if (user.requestsPerMinute > 0) {
    const limit = user.requestsPerMinute;
    const message = `you may send ${limit} requests in a minute`;
    rules.push({ subject: `m${user.id}`, limit, seconds: MINUTE, message, code, onlySuccess: false });
  }
  // The playground has no token, and this limit applies to API keys only (contract §1.1).
  if (!options.ModelRequestRateLimitEnabled || token.id === 0) return rules;
  const minutes = options.ModelRequestRateLimitDurationMinutes;
  const seconds = minutes * MINUTE;
  const total = options.ModelRequestRateLimitCount;
  if (total > 0) {
    const message = `you may send ${total} requests in ${minutes} min`;
    rules.push({ subject: `u${user.id}`, limit: total, seconds, message, code, onlySuccess: false });
  }
  const successful = options.ModelRequestRateLimitSuccessCount;
  if (successful > 0) {
    const message = `you may send ${successful} successful requests in ${minutes} min`;
    rules.push({ subject: `s${user.id}`, limit: successful, seconds, message, code, onlySuccess: true });
  }
  return rules;
}

/** Tokens of models in a minute, per token and per user. */
export function tokenRules({ token, user }: Caller): Rule[] {
  const rules: Rule[] = [];
  const add = (subject: string, limit: number, who: string): void => {
    const message = `${who} ${limit} tokens in a minute`;
    rules.push({ subject, limit, seconds: MINUTE, message, code: "token_rate_limit_exceeded", onlySuccess: false });
  };
  if (token.tokensPerMinute > 0) add(`tt${token.id}`, token.tokensPerMinute, "the API key allows");
  if (user.tokensPerMinute > 0) add(`tu${user.id}`, user.tokensPerMinute, "you may use");
  return rules;
}

/** Requests in flight at once, with the error of a request beyond it. */
export type PlaceRule = { subject: string; limit: number; message: string };

/** The token first: what waits for one token's place takes none of its user's. */
export function placeRules({ token, user }: Caller): PlaceRule[] {
  const rules: PlaceRule[] = [];
  const add = (subject: string, limit: number, who: string): void => {
    rules.push({ subject, limit, message: `${who} ${limit} requests in flight at once` });
  };
  if (token.concurrencyLimit > 0) add(`t${token.id}`, token.concurrencyLimit, "the API key allows");
  if (user.concurrencyLimit > 0) add(String(user.id), user.concurrencyLimit, "you may have");
  return rules;
}
