{{- define "mediamill.name" -}}
{{- if contains "mediamill" .Release.Name }}{{ .Release.Name }}{{ else }}{{ printf "%s-mediamill" .Release.Name | trunc 50 }}{{ end -}}
{{- end }}

{{- define "mediamill.labels" -}}
app.kubernetes.io/name: mediamill
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "mediamill.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /* The environment of a container. Arguments: the root, and the settings of the role. */ -}}
{{- define "mediamill.environment" -}}
{{- $root := index . 0 -}}
env:
{{- range $name, $value := merge (dict) (index . 1) $root.Values.settings }}
  - name: {{ $name }}
    value: {{ $value | quote }}
{{- end }}
envFrom:
  - secretRef:
      name: {{ $root.Values.existingSecret }}
{{- end }}

{{- define "mediamill.pod" -}}
serviceAccountName: {{ .Values.serviceAccountName }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "mediamill.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
{{- end }}

{{- define "mediamill.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "mediamill.mounts" -}}
volumeMounts:
  - { name: scratch, mountPath: /data }
  - { name: scratch, mountPath: /tmp, subPath: tmp }
{{- end }}

{{- /* The argument is the name of the port. */ -}}
{{- define "mediamill.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: {{ . }} }
  periodSeconds: 2
  failureThreshold: 45
readinessProbe:
  httpGet: { path: /readyz, port: {{ . }} }
  periodSeconds: 5
  timeoutSeconds: 4
livenessProbe:
  httpGet: { path: /livez, port: {{ . }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
{{- end }}

{{- define "mediamill.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "mediamill.labels" (index . 0) | nindent 8 }}
        role: {{ index . 1 }}
{{- end }}
