import type { Locale } from "@/lib/i18n/locale";
import { OPERATIONS, type OperationId } from "@/lib/operations";
import type { Hue, UpstreamRow } from "@/lib/relay/providers/channel-type";
import type { EditorFields } from "@/lib/relay/providers/editor-fields";
import { rows } from "@/lib/relay/providers/rows";
import { servesChat } from "@/lib/relay/providers/serves-chat";
import { servesOperation } from "@/lib/relay/providers/serves-type";

/** What the console shows of a channel type. Plain data: it is sent to the browser. */
export type ChannelTypeView = {
  id: number;
  name: string;
  hue: Hue;
  /** Whether it is offered for new channels. */
  isOffered: boolean;
  isTestable: boolean;
  /** "coming": the relay does not speak its wire format yet. "none": the type has no conversations. */
  conversations: "served" | "coming" | "none";
  /** What its channels can be asked for. */
  operations: OperationId[];
  /** Its models are names of this gateway, such as those of drawing, and not a list of the upstream's. */
  hasFixedModels: boolean;
};

/** Operations whose models are not an upstream's: a request names its action instead. */
const OWN_NAMES: ReadonlySet<string> = new Set<OperationId>(["drawing", "music"]);

/** All channel types, in the order of the console's select. */
export function listChannelTypes(locale: Locale): ChannelTypeView[] {
  const place = ({ position }: UpstreamRow) => position ?? Number.POSITIVE_INFINITY;
  const inOrder = [...rows.values()].sort((a, b) => Math.sign(place(a) - place(b)) || a.id - b.id);
  return inOrder.map((row) => ({
    id: row.id,
    name: row.name[locale],
    hue: row.hue,
    isOffered: row.position !== null,
    isTestable: row.test !== null,
    conversations: conversationsOf(row),
    operations: OPERATIONS.filter((operation) => servesOperation(row.id, operation)),
    hasFixedModels: row.dialect === null && Object.keys(row.serves).every((operation) => OWN_NAMES.has(operation)),
  }));
}

function conversationsOf(row: UpstreamRow): ChannelTypeView["conversations"] {
  if (row.dialect === null) return "none";
  return servesChat(row) ? "served" : "coming";
}

/** The fields of the channel editor, by channel type. */
export function editorFieldsByType(): Record<number, EditorFields> {
  return Object.fromEntries([...rows.values()].map(({ id, editor }) => [id, editor]));
}
