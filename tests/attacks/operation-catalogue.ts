// What requests for anything but conversations can have, read from the types of the official clients.
import type { KnownNames } from "@/lib/relay/wire/dialects/common/known-names";
import { declarationsIn, fieldsOf, keyOf, Reader, short } from "./request-catalogue";
import type { Json } from "./scripted-upstream";

/** A field of a request with a value of its type; `more`: the request's fields with it. */
export type Field = { what: string; more: Json };

/** What the attack itself sets, and what stays with the client. */
const OWN = /^(model|stream|httpOptions|abortSignal|betas)$/;
const NUMBERS = [3, 10, 128];
const LONG = "a b ".repeat(1_500);
const COPIES = 20;

const readers = new Map<string, Reader>();

function readerOf(file: string): Reader {
  const reader = readers.get(file) ?? new Reader(declarationsIn([file]));
  readers.set(file, reader);
  return reader;
}

/** A value, and larger ones of its type. */
function grown(value: unknown): unknown[] {
  if (value === "x") return [value, LONG];
  if (typeof value === "number") return NUMBERS;
  return Array.isArray(value) ? [value, Array.from({ length: COPIES }, () => value).flat()] : [value];
}

function withField(field: string, value: unknown): Field {
  return { what: `${field} ${short(value)}`, more: { [field]: value } };
}

/** Every field of an interface of a client's package, with each alternative of its type. `nameOf`: its name in the request. */
export function fieldsIn(file: string, type: string, nameOf = (field: string): string => field): Field[] {
  const reader = readerOf(file);
  return reader.membersOf(reader.named(type)).flatMap((member) => {
    const field = keyOf(member.name);
    if (!member.type || OWN.test(field)) return [];
    const values = reader.samples(member.type, field).flatMap(grown);
    return values.map((value) => withField(nameOf(field), value));
  });
}

/** Every kind of part that Google's client knows, as a content to be embedded. */
export function partsIn(place: (part: Json) => Json): Field[] {
  return fieldsOf(readerOf(GOOGLE), "Part", place).map(({ what, more }) => ({ what, more }));
}

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const GOOGLE = "@google/genai/dist/genai.d.ts";
export const OPENAI = "openai/resources";
export const COHERE = "cohere-ai/api/resources/v2/client/requests";

/** Where no client has types: every name that Weir reads of such requests. */
export function namesIn(names: KnownNames): Field[] {
  return [...names.known.keys()]
    .filter((name) => !OWN.test(name))
    .flatMap((name) => [LONG, NUMBERS.at(-1)].map((value) => withField(name, value)));
}
