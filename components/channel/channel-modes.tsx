"use client";

import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { parseAsBoolean, parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { useId, useState } from "react";
import { useListTransition } from "@/components/data-table/list-transition";
import { useAutoRefresh } from "@/components/data-table/use-auto-refresh";
import { Label } from "@/components/ui/label";
import { writeStored } from "@/components/ui/stored";
import { Switch } from "@/components/ui/switch";
import { channelViewParams, ID_SORT_KEY } from "./channel-search";

const ONE_YEAR = 31_536_000;
const sortParams = { sort: parseAsString, descending: parseAsBoolean, page: parseAsInteger };

const REFRESH_SECONDS = 10;

/** The switches of the list: sort by id, group by tag, auto-refresh. */
export function ChannelModes({ isIdSort }: { isIdSort: boolean }) {
  const t = useTranslations("channel");
  const router = useRouter();
  const { startTransition } = useListTransition();
  const live = useAutoRefresh("channels-auto-refresh", REFRESH_SECONDS);
  const [idSort, setIdSort] = useState(isIdSort);
  const [view, setView] = useQueryStates(
    { ...channelViewParams, ...sortParams },
    { shallow: false, history: "push", startTransition },
  );
  const onIdSort = (on: boolean) => {
    setIdSort(on);
    writeStored(ID_SORT_KEY, String(on));
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every supported browser
    document.cookie = `${ID_SORT_KEY}=${on}; path=/; max-age=${ONE_YEAR}; samesite=lax`;
    setView({ sort: null, descending: null, page: null });
    startTransition(() => router.refresh());
  };
  return (
    <div className="flex flex-wrap items-center gap-x-5 gap-y-2 border-b px-4 py-2 text-xs">
      <Mode label={t("idSort")} checked={idSort} onChecked={onIdSort} />
      <Mode
        label={t("tagMode")}
        checked={view.tags}
        onChecked={(tags) => setView({ tags: tags || null, open: null, page: null })}
      />
      <Mode label={t("autoRefresh", { seconds: String(REFRESH_SECONDS) })} checked={live.isOn} onChecked={live.setOn} />
    </div>
  );
}

type ModeProps = { label: string; checked: boolean; onChecked: (checked: boolean) => void };

function Mode({ label, checked, onChecked }: ModeProps) {
  const id = useId();
  return (
    <span className="flex items-center gap-2">
      <Switch id={id} checked={checked} onCheckedChange={onChecked} />
      <Label htmlFor={id} className="font-normal text-xs">
        {label}
      </Label>
    </span>
  );
}
