import type { UrlParts } from "./channel-type";

type UrlRule = (parts: UrlParts) => string;

/**
 * The parameters of the client's query with these names, each once; "" = none. Others do not go on, because gateways
 * behind a channel take models and keys from there.
 */
export function namedParameters(query: string, names: readonly string[] | undefined): string {
  if (query === "" || names === undefined) return "";
  const given = new URLSearchParams(query);
  const passed = new URLSearchParams();
  for (const name of names) {
    const values = given.getAll(name);
    for (const value of name.endsWith("[]") ? values : values.slice(0, 1)) passed.append(name, value);
  }
  return passed.size === 0 ? "" : `?${passed}`;
}

/** The client's path under the base URL, with what goes on of its query. */
export const samePath: UrlRule = ({ baseUrl, path, query }) => `${baseUrl}${path}${query}`;

export const fixedPath =
  (path: string): UrlRule =>
  ({ baseUrl }) =>
    `${baseUrl}${path}`;

/** The client's path, with its /v1 replaced by `prefix`. */
export const underPrefix =
  (prefix: string): UrlRule =>
  ({ baseUrl, path }) =>
    `${baseUrl}${prefix}${withoutVersion(path)}`;

export const withoutVersion = (path: string): string => path.replace(/^\/v1(?=\/)/, "");

export const CLOUDFLARE_GATEWAY = "https://gateway.ai.cloudflare.com";
