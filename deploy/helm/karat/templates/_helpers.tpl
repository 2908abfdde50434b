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

{{- /* Where and as whom a pod runs. Takes root and pods. */}}
{{- define "karat.placement" -}}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .pods.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .pods.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .pods.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* Variables with their values. */}}
{{- define "karat.values" -}}
{{- range $name, $value := . }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{- /* Variables whose values are in Secrets. */}}
{{- define "karat.references" -}}
{{- range $name, $from := . }}
- name: {{ $name }}
  valueFrom: { secretKeyRef: { name: {{ $from.secret }}, key: {{ $from.key }}{{ if $from.optional }}, optional: true{{ end }} } }
{{- end }}
{{- end }}

{{- /* Variables that name keys: files of the Secret below /keys, or URLs. */}}
{{- define "karat.keys" -}}
{{- range $name, $key := . }}
- { name: {{ $name }}, value: {{ contains ":" $key | ternary $key (printf "/keys/%s" $key) | quote }} }
{{- end }}
{{- end }}

{{- /* A volume with the key files, and no others. Takes name, secret and keys; nothing where all keys are elsewhere. */}}
{{- define "karat.keyVolume" -}}
{{- $files := list }}
{{- range $key := values .keys }}{{ if not (contains ":" $key) }}{{ $files = append $files $key }}{{ end }}{{ end }}
{{- with $files | uniq | sortAlpha }}
- name: {{ $.name }}
  secret:
    secretName: {{ $.secret }}
    # The user reads them through its group: the file belongs to root.
    defaultMode: 0440
    items:
      {{- range . }}
      - { key: {{ . }}, path: {{ . }} }
      {{- end }}
{{- end }}
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

{{- /* karat-signer next to a process. Takes root and signer, that of the process. */}}
{{- define "karat.signer" -}}
- name: signer
  image: {{ include "karat.image" .root.Values.signer.image }}
  restartPolicy: Always
  args: [--socket, /signer/sign.sock]
  env:
    - { name: KARAT_PROGRAM_ID, value: {{ .root.Values.settings.KARAT_PROGRAM_ID | quote }} }
    {{- include "karat.values" .root.Values.signer.settings | indent 4 }}
    {{- include "karat.references" .signer.secretSettings | indent 4 }}
    {{- include "karat.keys" .signer.keys | indent 4 }}
  startupProbe:
    exec:
      command:
        - node
        - -e
        - require('node:net').connect('/signer/sign.sock', () => process.exit(0)).on('error', () => process.exit(1))
    periodSeconds: 1
    timeoutSeconds: 5
    failureThreshold: 60
  resources: {{- toYaml .root.Values.signer.resources | nindent 4 }}
  # Another user than that of the process, of its group, which may open the socket.
  securityContext:
    runAsUser: 65531
    {{- include "karat.containerSecurity" .root | nindent 4 }}
  volumeMounts:
    - { name: signer, mountPath: /signer }
    {{- if include "karat.keyVolume" (dict "name" "signing-keys" "secret" "" "keys" .signer.keys) }}
    - { name: signing-keys, mountPath: /keys, readOnly: true }
    {{- end }}
    {{- if .signer.hsm.volume }}
    - { name: hsm, mountPath: /hsm, readOnly: true }
    {{- end }}
    {{- if .signer.hsm.pin.secret }}
    - { name: pin, mountPath: /pin, readOnly: true }
    {{- end }}
{{- end }}

{{- /* What it mounts. */}}
{{- define "karat.signerVolumes" -}}
- { name: signer, emptyDir: { medium: Memory } }
{{- include "karat.keyVolume" (dict "name" "signing-keys" "secret" .root.Values.secrets.keys "keys" .signer.keys) }}
{{- with .signer.hsm.volume }}
- name: hsm
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .signer.hsm.pin }}
{{- if .secret }}
- name: pin
  secret: { secretName: {{ .secret }}, defaultMode: 0440, items: [{ key: {{ .key }}, path: pin }] }
{{- end }}
{{- end }}
{{- end }}
