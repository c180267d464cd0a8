import type { OptionCard } from "./cards";
import { CARD_SYNONYMS, OPTION_SYNONYMS } from "./synonyms";

/** An option as a search sees it, with its texts in the reader's language. */
export type SearchEntry = {
  key: string;
  card: OptionCard;
  label: string;
  hint: string;
  cardTitle: string;
  pageTitle: string;
};

/** Words that say what to do and not with what; they are ignored beside others. */
const VERBS = new Set(
  "turn switch off on set change edit enable disable activate deactivate allow forbid how do i to the a an of for my configure add".split(
    " ",
  ),
);
const CHINESE_VERBS = /^(?:关闭|关掉|停用|禁用|开启|打开|启用|设置|修改|更改|配置|调整)?/;

const QUESTION = /^(?:怎么|怎样|如何|请|我要|我想|把|how (?:do|can) (?:i|we) |how to )+/;

const WHOLE_PHRASE = 40;
const WEIGHTS = { label: 8, synonym: 6, card: 4, page: 3, key: 3, hint: 1 } as const;
const WORD_START = 2;

/**
 * The entries in which every word of the query occurs, the best first: names before other words for the same thing, these
 * before the names of card and page, and hints last. Entries of equal rank keep their order.
 */
export function searchOptions(entries: readonly SearchEntry[], query: string): SearchEntry[] {
  const phrase = plain(query).replace(QUESTION, "");
  const words = wordsOf(phrase);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry, phrase, words) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank)
    .map(({ entry }) => entry);
}

const plain = (text: string): string => text.normalize("NFKC").toLowerCase().trim().replace(/\s+/g, " ");

function wordsOf(phrase: string): string[] {
  const all = phrase.split(/[\s,，、。.!?？！]+/).filter((word) => word !== "");
  const named = all.map((word) => word.replace(CHINESE_VERBS, "") || word).filter((word) => !VERBS.has(word));
  return named.length > 0 ? named : all;
}

/** 0 = some word does not occur. */
function rankOf(entry: SearchEntry, phrase: string, words: readonly string[]): number {
  const own = plain(OPTION_SYNONYMS[entry.key] ?? "");
  const fields: readonly [string, number][] = [
    [plain(entry.label), WEIGHTS.label],
    [own, WEIGHTS.synonym],
    [plain(`${entry.cardTitle} , ${CARD_SYNONYMS[entry.card] ?? ""}`), WEIGHTS.card],
    [plain(entry.pageTitle), WEIGHTS.page],
    [plain(`${entry.key} ${spaced(entry.key)}`), WEIGHTS.key],
    [plain(entry.hint), WEIGHTS.hint],
  ];
  const ranks = words.map((word) =>
    Math.max(...fields.map(([text, weight]) => occurs(text, word) && weight + occurs(text, word))),
  );
  if (ranks.some((rank) => rank === 0)) return 0;
  const isNamed = own.split(", ").includes(phrase) || fields[0]?.[0] === phrase;
  return ranks.reduce((sum, rank) => sum + rank, 0) / ranks.length + (isNamed ? WHOLE_PHRASE : 0);
}

/** 0 = not at all; more at the start of a word. */
function occurs(text: string, word: string): number {
  const at = text.indexOf(word);
  if (at === -1) return 0;
  const startsWord = at === 0 || !/[a-z0-9]/.test(text[at - 1] ?? "");
  return startsWord ? 1 + WORD_START : 1;
}

/** "SMTPPort" → "SMTP Port", "oidc.client_id" → "oidc client id". */
const spaced = (key: string): string =>
  key.replaceAll(/[._]/g, " ").replaceAll(/([a-z])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3 $2$4");
