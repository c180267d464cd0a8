import type { Drawing } from "@/lib/drawing/types";

export type ViewedImage = { address: string; title: string; prompt: string };

export function toViewed(row: Drawing): ViewedImage {
  return { address: imageAddress(row.imageUrl) ?? "", title: row.mjId, prompt: row.prompt };
}

/**
 * The URL for the browser. Images proxied by this site become a path, so that they load from the page's own origin whatever
 * the configured server address is. Null if the value is neither http(s) nor an image data URL.
 */
export function imageAddress(imageUrl: string): string | null {
  if (imageUrl.startsWith("data:image/")) return imageUrl;
  // The list names them so while the site has no address.
  if (/^\/mj\/image\/[^/?#]+$/.test(imageUrl)) return imageUrl;
  if (!URL.canParse(imageUrl)) return null;
  const { protocol, pathname } = new URL(imageUrl);
  if (/^\/mj\/image\/[^/]+$/.test(pathname)) return pathname;
  return protocol === "https:" || protocol === "http:" ? imageUrl : null;
}
