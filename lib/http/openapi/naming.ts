/** "/test/:id" below "/api/channel" → "/api/channel/test/{id}"; "/" becomes the base path without a trailing slash. */
export function documentPath(base: string, path: string): string {
  return `${base}${path === "/" ? "" : path.replaceAll(/:(\w+)/g, "{$1}")}`;
}

/** E.g. getApiChannelTestById. */
export function operationIdOf(method: string, path: string): string {
  const words = path
    .split(/[/_.-]/)
    .filter(Boolean)
    .map((word) => (word.startsWith("{") ? `By${capital(word.slice(1, -1))}` : capital(word)));
  return [method.toLowerCase(), ...words].join("");
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
