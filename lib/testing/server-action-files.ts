import { readdirSync, readFileSync } from "node:fs";

/** The files of the console's server actions, from the root of the repository. */
export function serverActionFiles(): string[] {
  return ["app", "components"]
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`))
    .filter((path) => /\.tsx?$/.test(path) && /^["']use server["']/.test(readFileSync(path, "utf8")))
    .sort();
}
