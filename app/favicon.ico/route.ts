/** Browsers that have not read the page's head yet ask here for its icon. */
export function GET(): Response {
  return new Response(null, {
    status: 308,
    headers: { location: "/icon.svg", "cache-control": "public, max-age=86400" },
  });
}
