"use client";

import { useTranslations } from "next-intl";
import { createContext, type ReactNode, useContext } from "react";
import { Badge } from "@/components/ui/badge";
import type { ChannelTypeView } from "@/lib/channel/type-views";

const Context = createContext<readonly ChannelTypeView[] | null>(null);

type ChannelTypesProviderProps = { types: readonly ChannelTypeView[]; children: ReactNode };

export function ChannelTypesProvider({ types, children }: ChannelTypesProviderProps) {
  return <Context value={types}>{children}</Context>;
}

/** All channel types, in the order of the select. */
export function useChannelTypes(): readonly ChannelTypeView[] {
  const types = useContext(Context);
  if (!types) throw new Error("there is no ChannelTypesProvider around this");
  return types;
}

/** Undefined when a stored channel has an unknown type number. */
export function useChannelType(id: number): ChannelTypeView | undefined {
  return useChannelTypes().find((type) => type.id === id);
}

export function useChannelTypeName(): (id: number) => string {
  const t = useTranslations("channel.types");
  const types = useChannelTypes();
  return (id) => types.find((type) => type.id === id)?.name ?? t("unknown");
}

export function ChannelType({ type }: { type: number }) {
  const nameOf = useChannelTypeName();
  return <Badge hue={useChannelType(type)?.hue ?? "grey"}>{nameOf(type)}</Badge>;
}
