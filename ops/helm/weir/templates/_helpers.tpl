{{- define "weir.name" -}}
{{- if contains "weir" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-weir" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "weir.labels" -}}
app.kubernetes.io/name: weir
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* Of the pods of one part: (dict "root" $ "part" "gateway"). */}}
{{- define "weir.selector" -}}
app.kubernetes.io/name: weir
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "weir.secretName" -}}
{{ .Values.secret.existing | default (include "weir.name" .) }}
{{- end }}

{{- define "weir.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "weir.name" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- define "weir.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "weir.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "weir.image" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{/* Variables of every container. */}}
{{- define "weir.environment" -}}
- name: WEIR_MIGRATE
  value: "off"
- name: WEIR_DATA_DIR
  value: /var/lib/weir
# A pod's disk is gone with it: an answer ends when its charge is in the database.
- name: WEIR_DURABLE_CHARGE
  value: database
- name: WEIR_METRICS_PORT
  value: "9464"
- name: WEIR_METRICS_HOST
  value: "0.0.0.0"
- name: WEIR_DRAIN_SECONDS
  value: {{ .Values.drainSeconds | quote }}
- name: WEIR_DRAIN_PAUSE_SECONDS
  value: {{ .Values.drainPauseSeconds | quote }}
- name: TRUST_PROXY
  value: {{ .Values.trustProxy | quote }}
{{- range $name, $value := .Values.environment }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* A deployment: (dict "root" $ "part" "gateway" "values" .Values.gateway "roles" "gateway" "probes" "http"). */}}
{{- define "weir.deployment" -}}
{{- $root := .root -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "weir.name" $root }}-{{ .part }}
  labels:
    {{- include "weir.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .part }}
spec:
  {{- if not .isScaled }}
  replicas: {{ .values.replicas }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "weir.selector" . | nindent 6 }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  template:
    metadata:
      labels:
        {{- include "weir.selector" . | nindent 8 }}
      annotations:
        prometheus.io/scrape: "true"
        prometheus.io/port: "9464"
        {{- if not $root.Values.secret.existing }}
        checksum/secret: {{ toJson $root.Values.secret.values | sha256sum }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "weir.serviceAccountName" $root }}
      automountServiceAccountToken: false
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      # WEIR_DRAIN_SECONDS and a minute.
      terminationGracePeriodSeconds: {{ add (int $root.Values.drainSeconds) 60 }}
      securityContext:
        {{- include "weir.podSecurity" $root | nindent 8 }}
      containers:
        - name: weir
          {{- include "weir.image" $root | nindent 10 }}
          args: [start]
          securityContext:
            {{- include "weir.containerSecurity" $root | nindent 12 }}
          env:
            - name: WEIR_ROLES
              value: {{ .roles | quote }}
            {{- include "weir.environment" $root | nindent 12 }}
            {{- range $name, $value := .environment }}
            - name: {{ $name }}
              value: {{ $value | quote }}
            {{- end }}
          envFrom:
            - secretRef:
                name: {{ include "weir.secretName" $root }}
          ports:
            {{- if eq .probes "http" }}
            - name: http
              containerPort: 3000
            {{- end }}
            - name: metrics
              containerPort: 9464
          # A start waits for the migration by failing, and for the console.
          startupProbe:
            httpGet: { path: /healthz, port: {{ .probes }} }
            periodSeconds: 2
            failureThreshold: 90
          readinessProbe:
            httpGet: { path: /readyz, port: {{ .probes }} }
            periodSeconds: 2
            timeoutSeconds: 3
            failureThreshold: 2
          livenessProbe:
            httpGet: { path: /healthz, port: {{ .probes }} }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 3
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          volumeMounts:
            - { name: data, mountPath: /var/lib/weir }
            - { name: tmp, mountPath: /tmp }
            - { name: cache, mountPath: /opt/weir/.next/cache }
      volumes:
        - { name: data, emptyDir: {} }
        - { name: tmp, emptyDir: {} }
        - { name: cache, emptyDir: {} }
      {{- if eq .part "gateway" }}
      # On as many machines as there are.
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "weir.selector" . | nindent 14 }}
      {{- end }}
      {{- with .values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end }}
