import type { NextAuthOptions } from "next-auth";

export type NextAuthCall = {
  /** The path segments below /api/auth. */
  path: readonly string[];
  method: string;
  query: Record<string, string>;
  form: Record<string, unknown>;
  cookies: Record<string, string>;
  headers: Record<string, string>;
};

export type NextAuthAnswer = { status: number; headers: Headers; body: string | null };

/**
 * Calls next-auth by its handler for plain requests and responses. Its route handler reads the cookies of the current
 * Next request, but some of these calls need other cookies.
 */
export async function callNextAuth(options: NextAuthOptions, call: NextAuthCall): Promise<NextAuthAnswer> {
  const { path, method, query, form, cookies, headers } = call;
  const answer: NextAuthAnswer = { status: 200, headers: new Headers(), body: null };
  const response = {
    status(code: number) {
      answer.status = code;
      return response;
    },
    getHeader: (name: string) =>
      name.toLowerCase() === "set-cookie" ? answer.headers.getSetCookie() : (answer.headers.get(name) ?? undefined),
    setHeader(name: string, value: string | string[]) {
      answer.headers.delete(name);
      for (const one of [value].flat()) answer.headers.append(name, one);
      return response;
    },
    json(value: unknown) {
      answer.headers.set("content-type", "application/json");
      answer.body = JSON.stringify(value);
    },
    send(value: unknown) {
      if (typeof value === "string" || value === undefined || value === null) answer.body = value ?? null;
      else response.json(value);
    },
    end() {},
  };
  const request = {
    method,
    query: { ...withUsableCallback(query), nextauth: [...path] },
    body: withUsableCallback(form),
    cookies: withUsableCallback(cookies),
    headers,
  };
  const { default: NextAuth } = await import("next-auth");
  await NextAuth(request as never, response as never, options);
  return answer;
}

/** Texts only, without a callback address that is none: next-auth answers 500 to both. */
function withUsableCallback(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (typeof value === "object" || value === undefined) return [];
      const isCallback = name === "callbackUrl" || name.endsWith("callback-url");
      return isCallback && !isWebAddress(String(value)) ? [] : [[name, String(value)]];
    }),
  );
}

function isWebAddress(text: string): boolean {
  const url = URL.canParse(text, "http://weir.invalid") && new URL(text, "http://weir.invalid");
  return url && /^https?:$/.test(url.protocol) && (text.startsWith("/") || URL.canParse(text));
}
