/** Browsers request this path before they have read the icon link in the page's head. */
export function GET(): Response {
  return new Response(null, {
    status: 308,
    headers: { location: "/icon.svg", "cache-control": "public, max-age=86400" },
  });
}
