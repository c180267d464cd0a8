import type { MeterUsage } from "@/lib/meters";
import type { Json } from "../../../../wire/canonical/json";

/** `mediaType`: "" = not named. */
export type Picture = { type: "url"; url: string } | { type: "base64"; mediaType: string; data: string };

/** A request for a video, independent of the wire format. Null = the caller did not say. */
export type VideoRequest = {
  model: string;
  prompt: string;
  negativePrompt: string | null;
  /** Always known, because the upstream is told and the caller is charged for it. */
  seconds: number;
  /** 480p, 720p, 1080p, 4k …: the shorter side. */
  resolution: string | null;
  /** Such as 16:9. */
  aspectRatio: string | null;
  /** In pixels, where the caller named them. */
  size: string | null;
  /** Kling's std and pro. */
  mode: string | null;
  withSound: boolean | null;
  /** What else makes it dearer, as the last part of the price's key. */
  surcharge: string | null;
  seed: number | null;
  /** How many videos are made of it. */
  count: number;
  firstFrame: Picture | null;
  lastFrame: Picture | null;
  /** Pictures of what is to be seen, which are no frames. */
  references: readonly Picture[];
  /** Fields by the upstreams' own names; each format takes those that it knows, and none that changes the price. */
  extra: Json;
  /** The body as received, for an upstream of the same format. */
  native: { format: VideoFormatId; json: Json } | null;
  /** What only upstreams of the same format can do, by its name in the request. */
  ownField: string | null;
};

export type VideoFormatId = "openai" | "kling" | "veo" | "ark" | "common";

export const SECONDS_MAX = 600;

/** What makers make where the request does not say. */
const USUAL_SECONDS: readonly (readonly [RegExp, number])[] = [
  [/sora/i, 4],
  [/veo/i, 8],
];

export function usualSeconds(model: string): number {
  return USUAL_SECONDS.find(([pattern]) => pattern.test(model))?.[1] ?? 5;
}

/** As Kling names its paths: a task is asked about where it was submitted. */
export function videoAction({ firstFrame, lastFrame }: Pick<VideoRequest, "firstFrame" | "lastFrame">): string {
  return firstFrame || lastFrame ? "image2video" : "text2video";
}

type Metered = Pick<VideoRequest, "model" | "seconds" | "count" | "resolution" | "mode" | "withSound" | "surcharge">;

/** The seconds that are asked for, by resolution or mode, and by sound where that was chosen. */
export function metersOf({ model, seconds, count, resolution, mode, withSound, surcharge }: Metered): MeterUsage[] {
  const quality = mode ?? (KLING.test(model) ? klingMode(resolution) : resolution);
  const sound = withSound === null ? null : withSound ? "sound" : "silent";
  const variant = [quality, sound, surcharge].filter((part) => part !== null).join(":");
  return [{ meter: "second", quantity: seconds * count, ...(variant === "" ? {} : { variant }) }];
}

const KLING = /kling/i;

/** Kling has no resolutions: std, its usual mode, is 720p, and pro is 1080p. */
export function klingMode(resolution: string | null): string {
  if (resolution === "1080p") return "pro";
  return resolution === "4k" ? "4k" : "std";
}

const SIZE = /^(\d{2,5})[x*](\d{2,5})$/;

/** Width and height of a size such as 1280x720; null = it is none. */
export function sidesOf(size: string): { width: number; height: number } | null {
  const [, width, height] = SIZE.exec(size) ?? [];
  return width && height ? { width: Number(width), height: Number(height) } : null;
}

/** The resolution by its shorter side; 2160 is known as 4k. */
export function resolutionOf({ width, height }: { width: number; height: number }): string {
  const shorter = Math.min(width, height);
  return shorter === 2160 ? "4k" : `${shorter}p`;
}

const RATIOS = ["16:9", "9:16", "1:1", "4:3", "3:4", "21:9", "9:21", "3:2", "2:3"];

/** The usual ratio that is nearest; sizes are rounded to whole blocks of pixels. */
export function aspectRatioOf({ width, height }: { width: number; height: number }): string {
  const given = Math.log(width / height);
  const distance = (ratio: string): number => {
    const [across = 1, down = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log(across / down) - given);
  };
  return RATIOS.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}

/** The pixels of a resolution and an aspect ratio, in even numbers; null = the resolution is not known. */
export function sizeOf(resolution: string, aspectRatio: string): string | null {
  const shorter = resolution === "4k" ? 2160 : Number(/^(\d{2,4})p$/.exec(resolution)?.[1] ?? 0);
  const [across = 0, down = 0] = aspectRatio.split(":").map(Number);
  if (shorter === 0 || !(across > 0) || !(down > 0)) return null;
  const longer = 2 * Math.round((shorter * Math.max(across, down)) / Math.min(across, down) / 2);
  return across >= down ? `${longer}x${shorter}` : `${shorter}x${longer}`;
}

/** A request that asks for nothing but these fields. */
export function videoRequest(
  given: Partial<VideoRequest> & Pick<VideoRequest, "model" | "prompt" | "seconds">,
): VideoRequest {
  return {
    negativePrompt: null,
    resolution: null,
    aspectRatio: null,
    size: null,
    mode: null,
    withSound: null,
    surcharge: null,
    seed: null,
    count: 1,
    firstFrame: null,
    lastFrame: null,
    references: [],
    extra: {},
    native: null,
    ownField: null,
    ...given,
  };
}
