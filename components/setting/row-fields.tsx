"use client";

import { useTranslations } from "next-intl";
import type { OptionView } from "@/lib/option/types";
import type { CardEvent, CardState } from "./card-draft";
import { DualEditor } from "./dual-editor";
import { EditableRows } from "./editable-rows";
import { OptionTable, type OptionTableProps } from "./option-table";
import { chatEditor, groupEditor, topUpEditor } from "./row-editor";
import { useRows } from "./use-rows";

export type RowFieldsProps = {
  views: readonly OptionView[];
  state: CardState;
  dispatch: (event: CardEvent) => void;
};

export function GroupFields({ views, state, dispatch }: RowFieldsProps) {
  const t = useTranslations("setting");
  const rows = useRows(groupEditor, views, state, dispatch);
  const columns = [
    { id: "name", header: t("groupName"), width: "minmax(7rem,1fr)" },
    { id: "ratio", header: t("groupRatio"), kind: "number", width: "8rem" },
    { id: "usable", header: t("groupUsable"), kind: "switch", width: "8rem" },
    {
      id: "description",
      header: t("groupDescription"),
      width: "minmax(8rem,2fr)",
      disabled: (cells: Readonly<Record<string, string>>) => cells.usable !== "true",
    },
  ] as const;
  return (
    <DualEditor name={t("card.groups.title")} views={views} state={state} dispatch={dispatch}>
      <EditableRows
        rows={rows}
        columns={columns}
        blank={{ name: "", ratio: "1", usable: "false", description: "" }}
        addLabel={t("addGroup")}
      />
    </DualEditor>
  );
}

export function TopUpFields(props: OptionTableProps) {
  const t = useTranslations("setting");
  const rows = useRows(topUpEditor, [props.view], props.state, props.dispatch);
  const columns = [
    { id: "name", header: t("groupName"), width: "minmax(7rem,1fr)" },
    { id: "ratio", header: t("topUpRatio"), kind: "number", width: "minmax(6rem,1fr)" },
  ] as const;
  return (
    <OptionTable {...props}>
      <EditableRows rows={rows} columns={columns} blank={{ name: "", ratio: "1" }} addLabel={t("addGroup")} />
    </OptionTable>
  );
}

export function ChatFields({ views, state, dispatch }: RowFieldsProps) {
  const t = useTranslations("setting");
  const rows = useRows(chatEditor, views, state, dispatch);
  const columns = [
    { id: "name", header: t("chatLabel"), width: "minmax(7rem,1fr)" },
    {
      id: "address",
      header: t("chatAddress"),
      placeholder: "https://chat.example/?key={key}&url={address}",
      width: "minmax(10rem,3fr)",
    },
  ] as const;
  return (
    <DualEditor name={t("card.chats.title")} views={views} state={state} dispatch={dispatch}>
      <EditableRows movable rows={rows} columns={columns} blank={{ name: "", address: "" }} addLabel={t("addChat")} />
    </DualEditor>
  );
}
