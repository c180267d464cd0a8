import type { Task } from "@/lib/task/types";
import { webAddress } from "./music";

type TaskVideos = Pick<Task, "id" | "data" | "results" | "hasVideo">;

const DEPTH_MAX = 6;
const FOUND_MAX = 20;
const VIDEO_FILE = /\.(mp4|webm|mov|m4v)(\?|#|$)/i;

/** The players' addresses: the makers' own where they are public, else this site's. */
export function videoAddresses({ id, data, results, hasVideo }: TaskVideos): string[] {
  const found = readVideos(data, results);
  return found.length === 0 && hasVideo ? [`/pg/videos/${id}/content`] : found;
}

/** An address of this site: it takes the user's session, so it is of no use elsewhere. */
export function isOfThisSite(url: string): boolean {
  return url.startsWith("/");
}

/**
 * The addresses of videos: among a task's results, and in what its upstream answered, where each provider has another
 * place for them.
 */
export function readVideos(data: unknown, results: readonly string[] = []): string[] {
  const found = new Set(results.map(webAddress).filter((url) => url.startsWith("data:video/") || VIDEO_FILE.test(url)));
  collect(data, "", 0, found);
  return [...found];
}

function collect(value: unknown, key: string, depth: number, found: Set<string>): void {
  if (depth > DEPTH_MAX || found.size >= FOUND_MAX) return;
  if (typeof value === "string") {
    const url = webAddress(value);
    if (url !== "" && (key === "video_url" || url.startsWith("data:video/") || VIDEO_FILE.test(url))) found.add(url);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) collect(inner, name, depth + 1, found);
  }
}
