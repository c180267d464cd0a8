import type { OptionValues } from "@/lib/option/registry";
import { classifyFailure } from "@/lib/relay/base";
import { rows } from "@/lib/relay/providers";
import type { ChannelTest } from "@/lib/relay/side";
import { CHANNEL_STATUS } from "@/lib/row-status";
import type { Channel } from "./types";

export type TestVerdict = { kind: "leave" } | { kind: "enable" } | { kind: "disable"; reason: string };

type Options = Pick<
  OptionValues,
  | "AutomaticDisableChannelEnabled"
  | "AutomaticEnableChannelEnabled"
  | "AutomaticDisableKeywords"
  | "ChannelDisableThreshold"
>;

const LEAVE: TestVerdict = { kind: "leave" };

/**
 * Decides what a test does to its channel if the automatic options allow it (contract §4.9, §4.10). Disables on the
 * same failures as in traffic, or when slower than ChannelDisableThreshold; enables after a good test if the system had
 * disabled it. Pure.
 */
export function verdictOfTest(channel: Channel, test: ChannelTest, options: Options): TestVerdict {
  const slow = slowness(test, options);
  if (channel.status === CHANNEL_STATUS.autoDisabled) {
    return test.success && slow === null && options.AutomaticEnableChannelEnabled ? { kind: "enable" } : LEAVE;
  }
  const mayDisable = options.AutomaticDisableChannelEnabled && channel.autoBan === 1;
  if (channel.status !== CHANNEL_STATUS.enabled || !mayDisable) return LEAVE;
  const reason = test.success ? slow : deadReason(channel, test, options);
  return reason === null ? LEAVE : { kind: "disable", reason };
}

function slowness({ timeMs }: ChannelTest, { ChannelDisableThreshold: seconds }: Options): string | null {
  return seconds > 0 && timeMs > seconds * 1_000 ? `test took ${(timeMs / 1_000).toFixed(2)} s` : null;
}

function deadReason(channel: Channel, test: ChannelTest, options: Options): string | null {
  // An upstream that could not be reached may only be down for a moment.
  if (test.status === undefined) return null;
  const error = test.error ?? { message: test.message, type: "upstream_error", param: null, code: null };
  const failure = { kind: "status", status: test.status, error, retryAfterMs: null } as const;
  return classifyFailure(failure, {
    quirks: rows.get(channel.type)?.quirks ?? {},
    statusCodeMapping: new Map(),
    mayDisable: true,
    disableKeywords: options.AutomaticDisableKeywords,
    isOwnRequest: true,
  }).disableReason;
}
