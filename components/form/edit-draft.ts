import type { ActionResult } from "@/lib/http/action";
import { isSameValue, mergeTexts, type Seen } from "@/lib/seen";

/** A field that somebody else has changed, until the user has chosen whose value to keep. */
export type OpenClash = { field: string; stored: unknown };

/**
 * A form at work: the row as it was read, the input that this began as, and the input now. They are kept together, so that a page
 * that is renewed behind the form changes none of them. `row` is null for a new one.
 */
export type EditState<Row, Draft> = {
  row: Row | null;
  start: Draft;
  draft: Draft;
  clashes: readonly OpenClash[];
};

/** How a form reads a row and what it sends. `toInput` gives null for input that cannot be sent. */
export type EditShape<Row, Draft, Input> = {
  toDraft: (row: Row | null) => Draft;
  toInput: (draft: Draft) => Input | null;
  /** Fields that mean something only together: if one was changed, all are sent. */
  together?: readonly (readonly (keyof Input & string)[])[];
  /** Fields with a JSON object whose entries are fields to people. */
  entries?: readonly (keyof Input & string)[];
};

type Values = Readonly<Record<string, unknown>>;
type Failure = Extract<ActionResult<unknown>, { ok: false }>;

const valuesOf = (value: object): Values => value as Values;

export function startEdit<Row, Draft>(row: Row | null, toDraft: (row: Row | null) => Draft): EditState<Row, Draft> {
  const start = toDraft(row);
  return { row, start, draft: start, clashes: [] };
}

/** The changed fields and what each was changed from, of a new row all fields; null where the input cannot be sent. */
export function changesOf<Row extends object, Draft, Input extends object>(
  state: EditState<Row, Draft>,
  shape: EditShape<Row, Draft, Input>,
): (Partial<Input> & { seen: Seen }) | null {
  const input = shape.toInput(state.draft);
  if (!input) return null;
  if (!state.row) return { ...(input as Partial<Input>), seen: {} };
  const before = valuesOf(shape.toInput(state.start) ?? {});
  const changed = Object.entries(input).filter(([name, value]) => !isSameValue(value, before[name]));
  const names = new Set<string>(changed.map(([name]) => name));
  for (const group of shape.together ?? []) {
    if (group.some((name) => names.has(name))) for (const name of group) names.add(name);
  }
  const sent = Object.entries(input).filter(([name]) => names.has(name));
  const seen = Object.entries(state.row).filter(([name, value]) => names.has(name) && value !== undefined);
  return { ...(Object.fromEntries(sent) as Partial<Input>), seen: Object.fromEntries(seen) };
}

/** After a save, the form goes on from what it has sent. Input that means the same in other words is taken over as it was saved. */
export function withSaved<Row extends object, Draft, Input extends object>(
  state: EditState<Row, Draft>,
  sent: object,
  { toDraft, toInput }: EditShape<Row, Draft, Input>,
): EditState<Row, Draft> {
  const row = state.row && { ...state.row, ...sent };
  const start = toDraft(row);
  const isSaved = isSameValue(toInput(state.draft), toInput(start));
  return { row, start, draft: isSaved ? start : state.draft, clashes: [] };
}

/** A refused save: the input stays, and the fields that clash wait for a choice. */
export function withFailure<Row, Draft>(state: EditState<Row, Draft>, failure: Failure): EditState<Row, Draft> {
  return { ...state, clashes: (failure.clashes ?? []).map(({ field, stored }) => ({ field, stored })) };
}

/** The form goes on from the stored value of one field, with the user's input for it or with the stored value. */
export function settle<Row extends object, Draft extends object, Input extends object>(
  state: EditState<Row, Draft>,
  { field, choice }: { field: string; choice: "mine" | "theirs" },
  shape: EditShape<Row, Draft, Input>,
): EditState<Row, Draft> {
  const clash = state.clashes.find((one) => one.field === field);
  if (!clash || !state.row) return state;
  const row = { ...state.row, [field]: clash.stored };
  const next = { row, start: shape.toDraft(row), clashes: state.clashes.filter((one) => one !== clash) };
  if (shape.entries?.some((name) => name === field)) {
    const texts = [valuesOf(state.row)[field], clash.stored, valuesOf(state.draft)[field]].map(String);
    const [was = "", stored = "", wanted = ""] = texts;
    const merged = mergeTexts(was, stored, wanted, choice === "mine" ? "wanted" : "stored");
    return { ...next, draft: { ...state.draft, [field]: merged?.text ?? wanted } };
  }
  return { ...next, draft: choice === "mine" ? state.draft : takeField(state, { field, start: next.start }, shape) };
}

type Part = { value: unknown; into: (draft: object) => object };

/** What a draft is made of: its values, and each entry of a value that is a record. */
function partsOf(draft: object): Map<string, Part> {
  return new Map(
    Object.entries(draft).flatMap(([name, value]): [string, Part][] =>
      isRecord(value)
        ? Object.entries(value).map(([entry, text]) => [
            `${name}.${entry}`,
            { value: text, into: (of) => ({ ...of, [name]: { ...recordIn(of, name), [entry]: text } }) },
          ])
        : [[name, { value, into: (of) => ({ ...of, [name]: value }) }]],
    ),
  );
}

const isRecord = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function recordIn(draft: object, name: string): Values {
  const value = valuesOf(draft)[name];
  return isRecord(value) ? value : {};
}

/** The draft with one field of the stored row; it may be several of the draft's. */
function takeField<Row extends object, Draft extends object, Input extends object>(
  state: EditState<Row, Draft>,
  { field, start }: { field: string; start: Draft },
  { toInput }: EditShape<Row, Draft, Input>,
): Draft {
  const before = partsOf(state.start);
  const read = (draft: Draft) => valuesOf(toInput(draft) ?? {})[field];
  let draft = state.draft;
  for (const [name, part] of partsOf(start)) {
    const next = part.into(draft) as Draft;
    const belongs = !isSameValue(before.get(name)?.value, part.value) || !isSameValue(read(draft), read(next));
    if (belongs) draft = next;
  }
  return draft;
}
