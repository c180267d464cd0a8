import type { LimitName } from "@/lib/time-limits";
import type { OptionValues } from "./registry";

/** The site's time limits in seconds; 0 = none. Models and channels may have others. */
export function usualTimeLimits(options: OptionValues): Record<LimitName, number> {
  return {
    connect: options.UpstreamConnectSeconds,
    first_byte: options.UpstreamFirstByteSeconds,
    first_byte_whole: options.UpstreamFirstByteWholeSeconds,
    first_token: options.UpstreamFirstTokenSeconds,
    alone: options.UpstreamAloneSeconds,
    idle: options.UpstreamIdleSeconds,
    whole: options.UpstreamWholeSeconds,
    stream: options.UpstreamStreamSeconds,
  };
}
