import { readArray, readObject, readText } from "../../canonical/json";

/** The documents that an answer rests on, as a list behind it; "" = none. */
export function documentsText(documents: unknown): string {
  const lines = readArray(documents)
    .map(readObject)
    .map(({ title, url }) => ({ title: readText(title) || readText(url), url: readText(url) }))
    .filter(({ title }) => title !== "")
    .map(({ title, url }, at) => `${at + 1}. ${url === "" ? title : `[${title}](${url})`}\n`);
  return lines.length === 0 ? "" : `\n\n${lines.join("")}`;
}
