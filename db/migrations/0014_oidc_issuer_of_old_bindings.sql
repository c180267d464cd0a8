-- A binding without an issuer belongs to the provider that is configured now; no later one may take it over.
UPDATE users SET oidc_issuer = 'configured:' || coalesce(
  nullif((SELECT value FROM options WHERE key = 'oidc.well_known'), ''),
  (SELECT value FROM options WHERE key = 'oidc.user_info_endpoint'),
  '')
WHERE oidc_id IS NOT NULL AND oidc_issuer = '';
