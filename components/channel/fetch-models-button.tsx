"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { callApi } from "@/components/form/call-api";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { ChannelDraft } from "./channel-draft";
import { ModelPicker } from "./model-picker";

type FetchModelsButtonProps = {
  /** Null for a channel that is not saved yet: then the key must come from the form. */
  channelId: number | null;
  draft: ChannelDraft;
  onModels: (models: string[]) => void;
};

/** Fetches the upstream's model list and lets the user choose from it. */
export function FetchModelsButton({ channelId, draft, onModels }: FetchModelsButtonProps) {
  const t = useTranslations("channel");
  const [pending, setPending] = useState(false);
  const [offered, setOffered] = useState<string[] | null>(null);
  const [key = ""] = draft.key.split("\n");
  const onFetch = async () => {
    setPending(true);
    try {
      // A key typed into the form is used first; otherwise the server uses the stored one.
      const { data } =
        channelId !== null && key.trim() === ""
          ? await callApi<string[]>(`/api/channel/fetch_models/${channelId}`)
          : await callApi<string[]>("/api/channel/fetch_models", {
              method: "POST",
              body: { base_url: draft.baseUrl, type: draft.type, key: key.trim(), other: draft.other },
            });
      setOffered(data);
    } catch (error) {
      const reason = error instanceof Error ? error.message : "";
      toast.error(t("modelsFetchFailed"), { duration: 5000, ...(reason ? { description: reason } : {}) });
    } finally {
      setPending(false);
    }
  };
  return (
    <>
      <Button className="h-7 px-2 font-normal text-xs" pending={pending} onClick={onFetch}>
        {t("modelsFetch")}
      </Button>
      {offered ? (
        <ModelPicker
          type={draft.type}
          offered={offered}
          present={draft.models}
          onModels={onModels}
          onClose={() => setOffered(null)}
        />
      ) : null}
    </>
  );
}
