import type { Messages, NamespaceKeys, NestedKeyOf } from "next-intl";
import { getMessages } from "next-intl/server";
import type { ReactNode } from "react";
import { pickTexts, type TextTree } from "./text-tree";
import { TextsProvider } from "./texts-provider";

export type TextPath = NamespaceKeys<Messages, NestedKeyOf<Messages>>;

/**
 * Sends the client components below the texts under these paths of messages/*.json, in addition to those of the
 * layouts above. Each page's HTML carries what it is given here, so scripts/page-texts.test.ts checks that it is
 * exactly what the page uses. Server components need no provider.
 */
export async function Texts({ of, children }: { of: readonly TextPath[]; children: ReactNode }) {
  return <TextsProvider texts={pickTexts((await getMessages()) as TextTree, of)}>{children}</TextsProvider>;
}
