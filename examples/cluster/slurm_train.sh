#!/usr/bin/env bash
#SBATCH --job-name=bearleft-train
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=32
#SBATCH --time=24:00:00
#SBATCH --requeue
# Train a network on the GPUs of several nodes with torchrun. Type on a login node:
#
#   sbatch examples/cluster/slurm_train.sh lingunet city/sdr/train -o run --device cuda --batch-size 80
#   sbatch --nodes=8 examples/cluster/slurm_train.sh rconcat city/touchdown/train -o run --device cuda
#
# The arguments are those of `bearleft train`. The folder lies where all nodes see it. A job that was stopped is
# submitted again: training resumes from its last state.
set -euo pipefail

nodes=$(scontrol show hostnames "$SLURM_JOB_NODELIST")
# srun does not take over the cores of a task from sbatch.
srun --cpus-per-task "$SLURM_CPUS_PER_TASK" torchrun \
    --nnodes "$SLURM_JOB_NUM_NODES" \
    --nproc_per_node "${SLURM_GPUS_ON_NODE:-1}" \
    --rdzv_id "$SLURM_JOB_ID" \
    --rdzv_backend c10d \
    --rdzv_endpoint "${nodes%%$'\n'*}:${RDZV_PORT:-29500}" \
    -m bearleft train "$@"
