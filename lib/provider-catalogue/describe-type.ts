import type { OperationId } from "@/lib/operations";
import { CHANNEL_TYPE, type ChannelTypeName } from "./channel-type-ids";
import { type EditorFields, USUAL_FIELDS } from "./editor-fields";

/** Badge colour in the console. */
export type Hue =
  | "blue"
  | "green"
  | "grey"
  | "indigo"
  | "light-blue"
  | "orange"
  | "pink"
  | "purple"
  | "teal"
  | "violet";

/** Kinds of requests besides conversations. */
export type OtherOperation = Exclude<OperationId, "chat">;

/** What is known of a channel type without asking its upstream anything: plain data. */
export type ChannelTypeFacts = {
  id: number;
  key: ChannelTypeName;
  name: Readonly<Record<"en" | "zh", string>>;
  hue: Hue;
  /** Position in the console's select, in ascending order; null = not offered for new channels. */
  position: number | null;
  /** Ids of its wire formats of conversations; several where the model or the address decides; none = no conversations. */
  dialects: readonly string[];
  /** Default base URL; "" = the channel must set one. */
  baseUrl: string;
  /** Why its provider no longer serves anything; absent = it does. */
  retired?: string;
  /** What it serves besides conversations: the id of the wire format, among those of the operation. */
  serves: Readonly<Partial<Record<OtherOperation, string>>>;
  /** Selects from the priced models those that a new channel starts with; null = none. */
  models: RegExp | null;
  /** What a channel test sends where the model's name does not tell; null = the type cannot be tested. */
  test: OperationId | null;
  editor: EditorFields;
};

type Usual = "dialects" | "serves" | "models" | "test";

type Given = Omit<ChannelTypeFacts, Usual | "id" | "key" | "name" | "editor"> &
  Partial<Pick<ChannelTypeFacts, Usual>> & {
    /** A string when both languages use the same name. */
    name: string | ChannelTypeFacts["name"];
    editor?: Partial<EditorFields>;
  };

/** Fills in what most types have, such as OpenAI's chat completions. */
export function describeType(key: ChannelTypeName, { name, editor, ...given }: Given): ChannelTypeFacts {
  return {
    id: CHANNEL_TYPE[key],
    key,
    dialects: ["openai-chat"],
    serves: {},
    models: null,
    test: "chat",
    ...given,
    name: typeof name === "string" ? { en: name, zh: name } : name,
    editor: { ...USUAL_FIELDS, example: given.baseUrl, ...editor },
  };
}

type Served = ChannelTypeFacts["serves"];

export const SOUND: Served = { speech: "openai", transcriptions: "openai" };
export const PICTURES_AND_SOUND: Served = { images: "openai", image_edits: "openai", ...SOUND };

/** OpenAI itself, and gateways that serve the models of others in its formats. */
export const ALL_LIKE_OPENAI: Served = {
  completions: "openai",
  embeddings: "openai",
  rerank: "jina",
  moderations: "openai",
  realtime: "openai",
  ...PICTURES_AND_SOUND,
};

/** OpenAI's models, which resellers offer too. */
export const OPENAI_MODELS =
  /^(gpt-|chatgpt-|o[1-9]|codex|text-embedding-(3|ada)|text-(ada|babbage|curie|davinci|moderation|search)|omni-|whisper-1|tts-|dall-e|davinci|babbage|computer-use)/;
