import { AppError } from "@/lib/errors";
import { type OutsideProvider, PROVIDER_NAME } from "./types";

type Texts = { wechat: AppError; other: AppError };

// WeChat is called by another name in Chinese, which a parameter cannot be.
const choose = (provider: OutsideProvider, { wechat, other }: Texts) => (provider === "wechat" ? wechat : other);
const named = (provider: OutsideProvider) => ({ provider: PROVIDER_NAME[provider] });

/** The operator has switched this provider off. */
export function refuseOff(provider: OutsideProvider): AppError {
  return choose(provider, {
    wechat: new AppError("forbidden", "oauthOffWechat"),
    other: new AppError("forbidden", "oauthOff", named(provider)),
  });
}

/** The outside account belongs to somebody already. */
export function refuseBoundElsewhere(provider: OutsideProvider): AppError {
  return choose(provider, {
    wechat: new AppError("conflict", "oauthBoundElsewhereWechat"),
    other: new AppError("conflict", "oauthBoundElsewhere", named(provider)),
  });
}

/** The caller has another account of this provider bound. */
export function refuseSecondBinding(provider: OutsideProvider): AppError {
  return choose(provider, {
    wechat: new AppError("conflict", "oauthSecondBindingWechat"),
    other: new AppError("conflict", "oauthSecondBinding", named(provider)),
  });
}

/** There is nothing to unbind. */
export function refuseNotBound(provider: OutsideProvider): AppError {
  return choose(provider, {
    wechat: new AppError("not_found", "oauthNotBoundWechat"),
    other: new AppError("not_found", "oauthNotBound", named(provider)),
  });
}

/** The provider did not answer, or with a fault of its own. */
export function providerUnreachable(provider: OutsideProvider, cause?: unknown): AppError {
  return choose(provider, {
    wechat: new AppError("upstream", "oauthUnreachableWechat", {}, cause),
    other: new AppError("upstream", "oauthUnreachable", named(provider), cause),
  });
}

/** The provider answered something that does not say who this is. */
export function answerUnusable(provider: OutsideProvider, cause?: unknown): AppError {
  return choose(provider, {
    wechat: new AppError("upstream", "oauthAnswerUnusableWechat", {}, cause),
    other: new AppError("upstream", "oauthAnswerUnusable", named(provider), cause),
  });
}

/** The provider did not take the code: used before, too old, or made up. */
export function codeRefused(provider: OutsideProvider, cause?: unknown): AppError {
  return new AppError("invalid", "oauthCodeRefused", named(provider), cause);
}

/** The operator has to fill in more before this provider can work. */
export function notConfigured(provider: OutsideProvider): AppError {
  return new AppError("unavailable", "oauthNotConfigured", named(provider));
}

/** The browser that comes back is not the one that left, or comes too late or twice. */
export function stateMismatch(cause?: unknown): AppError {
  return new AppError("forbidden", "oauthStateMismatch", {}, cause);
}
