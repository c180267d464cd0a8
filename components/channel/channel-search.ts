import { createParser, parseAsArrayOf, parseAsBoolean, parseAsInteger, parseAsString } from "nuqs/server";

const text = parseAsString.withDefault("");

/** Names as a JSON list: a tag may be empty (none) or hold a comma. */
const names = createParser<string[]>({
  parse(value) {
    try {
      const list: unknown = JSON.parse(value);
      return Array.isArray(list) && list.every((item) => typeof item === "string") ? list : null;
    } catch {
      // An address written by hand, with one plain name.
      return [value];
    }
  },
  serialize: (list) => JSON.stringify(list),
  eq: (a, b) => a.length === b.length && a.every((item, at) => item === b[at]),
});

/** The filters of the channel list in the address. */
export const channelFilterParams = {
  keyword: text,
  model: text,
  group: names,
  status: parseAsArrayOf(parseAsInteger),
  type: parseAsArrayOf(parseAsInteger),
  tag: names,
};

/** Channels grouped by their tags, and which of these are open. */
export const channelViewParams = { tags: parseAsBoolean.withDefault(false), open: names };

/** Where it is remembered that the newest channels come first: in the browser's storage, and in a cookie for the server. */
export const ID_SORT_KEY = "id-sort";
