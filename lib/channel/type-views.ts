import type { Locale } from "@/lib/i18n/locale";
import type { Hue, UpstreamRow } from "@/lib/relay/upstreams/channel-type";
import type { EditorFields } from "@/lib/relay/upstreams/editor-fields";
import { rows } from "@/lib/relay/upstreams/rows";
import { servesChat } from "@/lib/relay/upstreams/serves-chat";

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
};

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
