import type { Locale } from "@/lib/i18n/locale";
import { OPERATIONS, type OperationId } from "@/lib/operations";
import { type ChannelTypeFacts, channelTypes, type Hue, servesOperation } from "@/lib/provider-catalogue";
import type { EditorFields } from "@/lib/provider-catalogue/editor-fields";

/** What the console shows of a channel type. Plain data: it is sent to the browser. */
export type ChannelTypeView = {
  id: number;
  name: string;
  hue: Hue;
  /** Whether it is offered for new channels. */
  isOffered: boolean;
  isTestable: boolean;
  hasConversations: boolean;
  /** What its channels can be asked for. */
  operations: OperationId[];
  /** Its models are names of this gateway, such as those of drawing, and not a list of the upstream's. */
  hasFixedModels: boolean;
};

/** Operations whose models are not an upstream's: a request names its action instead. */
const OWN_NAMES: ReadonlySet<string> = new Set<OperationId>(["drawing", "music"]);

/** All channel types, in the order of the console's select. */
export function listChannelTypes(locale: Locale): ChannelTypeView[] {
  const place = ({ position }: ChannelTypeFacts) => position ?? Number.POSITIVE_INFINITY;
  const inOrder = [...channelTypes.values()].sort((a, b) => Math.sign(place(a) - place(b)) || a.id - b.id);
  return inOrder.map((type) => ({
    id: type.id,
    name: type.name[locale],
    hue: type.hue,
    isOffered: type.position !== null,
    isTestable: type.test !== null,
    hasConversations: type.dialects.length > 0,
    operations: OPERATIONS.filter((operation) => servesOperation(type.id, operation)),
    hasFixedModels:
      type.dialects.length === 0 && Object.keys(type.serves).every((operation) => OWN_NAMES.has(operation)),
  }));
}

/** The fields of the channel editor, by channel type. */
export function editorFieldsByType(): Record<number, EditorFields> {
  return Object.fromEntries([...channelTypes.values()].map(({ id, editor }) => [id, editor]));
}
