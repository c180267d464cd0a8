import type { Route } from "next";

/** The page of a model. Its name may have slashes, which are parts of the path. */
export function modelHref(model: string): Route {
  return `/pricing/${model.split("/").map(encodeURIComponent).join("/")}` as Route;
}

/** The name of the model whose page has these parts of the path, as Next.js passes them; null = none can. */
export function modelOfPath(parts: readonly string[]): string | null {
  try {
    return parts.map(decodeURIComponent).join("/");
  } catch {
    return null;
  }
}
