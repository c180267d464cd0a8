import { createParser, parseAsArrayOf, parseAsBoolean, parseAsInteger, parseAsString } from "nuqs/server";

const text = parseAsString.withDefault("");

/** Names as a JSON list, because a tag may be empty (untagged) or contain a comma. */
const names = createParser<string[]>({
  parse(value) {
    try {
      const list: unknown = JSON.parse(value);
      return Array.isArray(list) && list.every((item) => typeof item === "string") ? list : null;
    } catch {
      // A URL written by hand with one plain name.
      return [value];
    }
  },
  serialize: (list) => JSON.stringify(list),
  eq: (a, b) => a.length === b.length && a.every((item, at) => item === b[at]),
});

export const channelFilterParams = {
  keyword: text,
  model: text,
  group: names,
  status: parseAsArrayOf(parseAsInteger),
  type: parseAsArrayOf(parseAsInteger),
  tag: names,
};

/** Whether rows are grouped by tag, and which tags are expanded. */
export const channelViewParams = { tags: parseAsBoolean.withDefault(false), open: names };

/** Key of "newest channels first", in the browser's storage and in a cookie for the server. */
export const ID_SORT_KEY = "id-sort";
