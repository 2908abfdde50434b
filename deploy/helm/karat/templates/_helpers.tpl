{{- define "karat.selector" -}}
app.kubernetes.io/name: karat
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "karat.labels" -}}
{{ include "karat.selector" . }}
app.kubernetes.io/version: {{ .root.Values.image.tag | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}

{{- define "karat.image" -}}
{{- if .digest }}{{ printf "%s@%s" .repository .digest | quote }}{{ else }}{{ printf "%s:%s" .repository .tag | quote }}{{ end }}
{{- end }}

{{- define "karat.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "karat.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "karat.fromSecret" -}}
- name: {{ .name }}
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: {{ .name }}{{ if .optional }}, optional: true{{ end }} } }
{{- end }}

{{- define "karat.caMount" -}}
{{- if .Values.databaseCa }}
- { name: database-ca, mountPath: /database, readOnly: true }
{{- end }}
{{- end }}

{{- define "karat.caVolume" -}}
{{- with .Values.databaseCa }}
- { name: database-ca, configMap: { name: {{ . }} } }
{{- end }}
{{- end }}

{{- /* A folder, not one file of it: a mounted file would keep showing the list that was there at the start. */}}
{{- define "karat.listMount" -}}
{{- if or .Values.sanctionsList.configMap .Values.sanctionsList.secret }}
- { name: sanctions-list, mountPath: /lists, readOnly: true }
{{- end }}
{{- end }}

{{- define "karat.listVolume" -}}
{{- with .Values.sanctionsList.configMap }}
- { name: sanctions-list, configMap: { name: {{ . }} } }
{{- end }}
{{- with .Values.sanctionsList.secret }}
- { name: sanctions-list, secret: { secretName: {{ . }} } }
{{- end }}
{{- end }}
