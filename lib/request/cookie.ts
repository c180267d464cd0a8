export function cookieOf(request: Request, name: string): string | undefined {
  return cookieIn(request.headers, name);
}

export function cookieIn(headers: Headers, name: string): string | undefined {
  for (const pair of (headers.get("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** All cookies of a request, with their values URL-decoded. */
export function cookiesOf(request: Request): Record<string, string> {
  const pairs = (request.headers.get("cookie") ?? "").split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at > 0 ? [[pair.slice(0, at).trim(), unescaped(pair.slice(at + 1).trim())]] : [];
  });
  return Object.fromEntries(pairs);
}

function unescaped(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

export type CookieOptions = { httpOnly: boolean; sameSite: string; path: string; secure: boolean; maxAge: number };

/** Does not escape the value: it must be safe as it is (ours are base64url and dots). */
export function toSetCookie(name: string, value: string, options: CookieOptions): string {
  const sameSite = options.sameSite.charAt(0).toUpperCase() + options.sameSite.slice(1);
  const parts = [`${name}=${value}`, `Path=${options.path}`, `Max-Age=${options.maxAge}`, `SameSite=${sameSite}`];
  if (options.httpOnly) parts.push("HttpOnly");
  if (options.secure) parts.push("Secure");
  return parts.join("; ");
}
