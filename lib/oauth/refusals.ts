import { AppError } from "@/lib/errors";
import { type OutsideProvider, PROVIDER_NAME } from "./types";

type Texts = { wechat: AppError; other: AppError };

// WeChat has a different name in Chinese, which a parameter cannot express.
const choose = (provider: OutsideProvider, { wechat, other }: Texts) => (provider === "wechat" ? wechat : other);
const named = (provider: OutsideProvider) => ({ provider: PROVIDER_NAME[provider] });

/** The provider is switched off. */
export function refuseOff(provider: OutsideProvider): AppError {
  return choose(provider, {
    wechat: new AppError("forbidden", "oauthOffWechat"),
    other: new AppError("forbidden", "oauthOff", named(provider)),
  });
}

/** The external account is bound to another user. */
export function refuseBoundElsewhere(provider: OutsideProvider): AppError {
  return choose(provider, {
    wechat: new AppError("conflict", "oauthBoundElsewhereWechat"),
    other: new AppError("conflict", "oauthBoundElsewhere", named(provider)),
  });
}

/** The user already has another account of this provider bound. */
export function refuseSecondBinding(provider: OutsideProvider): AppError {
  return choose(provider, {
    wechat: new AppError("conflict", "oauthSecondBindingWechat"),
    other: new AppError("conflict", "oauthSecondBinding", named(provider)),
  });
}

export function refuseNotBound(provider: OutsideProvider): AppError {
  return choose(provider, {
    wechat: new AppError("not_found", "oauthNotBoundWechat"),
    other: new AppError("not_found", "oauthNotBound", named(provider)),
  });
}

/** The provider did not respond, or responded with a server error. */
export function providerUnreachable(provider: OutsideProvider, cause?: unknown): AppError {
  return choose(provider, {
    wechat: new AppError("upstream", "oauthUnreachableWechat", {}, cause),
    other: new AppError("upstream", "oauthUnreachable", named(provider), cause),
  });
}

/** The provider's response does not identify the user. */
export function answerUnusable(provider: OutsideProvider, cause?: unknown): AppError {
  return choose(provider, {
    wechat: new AppError("upstream", "oauthAnswerUnusableWechat", {}, cause),
    other: new AppError("upstream", "oauthAnswerUnusable", named(provider), cause),
  });
}

/** The provider refused the code: used before, too old, or made up. */
export function codeRefused(provider: OutsideProvider, cause?: unknown): AppError {
  return new AppError("invalid", "oauthCodeRefused", named(provider), cause);
}

/** The provider's options are incomplete. */
export function notConfigured(provider: OutsideProvider): AppError {
  return new AppError("unavailable", "oauthNotConfigured", named(provider));
}

/** The state is from another browser, too old, or used before. */
export function stateMismatch(cause?: unknown): AppError {
  return new AppError("forbidden", "oauthStateMismatch", {}, cause);
}
