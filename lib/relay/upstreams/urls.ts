import type { UrlParts } from "./channel-type";

type UrlRule = (parts: UrlParts) => string;

/** The client's path and query under the base URL. */
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
