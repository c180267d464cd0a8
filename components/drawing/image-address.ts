import type { Drawing } from "@/lib/drawing/types";

export type ViewedImage = { address: string; title: string; prompt: string };

export function toViewed(row: Drawing): ViewedImage {
  return { address: imageAddress(row.imageUrl) ?? "", title: row.mjId, prompt: row.prompt };
}

/**
 * Where the browser fetches a task's image: one that this site forwards comes from wherever the page itself came from,
 * whatever address the site goes by elsewhere. A picture may also lie in the address itself. Null for what is no image's
 * address.
 */
export function imageAddress(imageUrl: string): string | null {
  if (imageUrl.startsWith("data:image/")) return imageUrl;
  if (!URL.canParse(imageUrl)) return null;
  const { protocol, pathname } = new URL(imageUrl);
  if (/^\/mj\/image\/[^/]+$/.test(pathname)) return pathname;
  return protocol === "https:" || protocol === "http:" ? imageUrl : null;
}
